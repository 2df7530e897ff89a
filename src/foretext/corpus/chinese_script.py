"""Traditional and simplified characters, and full-width ones: what a Chinese text mixes.

The table holds frequent characters that only one of the two ways of writing has. Characters that
both have, such as 后, 里 and 面, are not in it.
"""

from __future__ import annotations

from collections import Counter

__all__ = ["full_width_rate", "traditional_rate"]

_TRADITIONAL = (
    "這個們來時為說國對會學過發還後樣經麼開動現電關見實長問話題應體變業間將兩"
    "無進種從機當車運員產報務類場東給讓誰頭馬門風飛魚鳥龍語讀書畫樂寫買賣錢銀鐵錯"
    "聽聲連遠邊達選適遲鄉鄭醫釋針鐘鏡閉閃閱陽陰隊際陸陳險雖雙雜難離雲響頁項順須預領頻顆額顏願顯"
    "飯飲館驗驚驢髮鬥鬧鮮鳴麗黃點黨齊齒齡億僅價優傳傷儀儲兒內則剛創劃劇劍劉勁勞勢勝勵勸區協單衛"
    "參叢吳嗎嘆嘗噴嚴園圍圓圖團壓壞壯壽夢奪奮媽婦孫寶審寬導屆層島嶺師帳帶幣幫幾廠廢廣廳強彈歸"
    "錄徑復德憂憑應懷態慶懶戰戲戶擁擇擊擔據擴擺攝數斷於舊昇暫曆會術極構槍樓標樹橋檢權歐歡歲歷殘"
    "殺氣漢湯溝滅準滿漁濟濤灣燈爐爭牆獎獨獄獲獻環瓊產畢療盡監盤眾礎確禮禍種稱穩窮競筆節範築簡籃"
    "糧係紀約紅納紙級細終組結統絲綠維網緊線練縣總績織繁繼續羅義習聖聯職腦腳臉舉舊艦藝蘇藥處虛號"
    "蟲蠻補裝複褲規視親覺觀觸計訂討訓記許訴診註詞試詩該詳認誌誤調談請論諸講謝證識譯議護讚貝負財"
    "責貨質費資賓賞賣賴購贈贏趙趕跡軍軌軟較載輕輛輩輪輯輸轉辦農迴遊遞遺遼鄰釣鈴鉛銷鋒鋼鎖鎮"
)
_SIMPLIFIED = (
    "这个们来时为说国对会学过发还样经么开动现电关见实长问话题应体变业间将两"
    "无进种从机当车运员产报务类场东给让谁头马门风飞鱼鸟龙语读书画乐写买卖钱银铁错"
    "听声连远边达选适迟乡郑医释针钟镜闭闪阅阳阴队际陆陈险虽双杂难离响页项顺须预领频颗额颜愿显"
    "饭饮馆验惊驴闹鲜鸣丽黄点党齐齿龄亿仅价优传伤仪储儿则刚创划剧剑刘劲劳势胜励劝区协单卫"
    "参丛吴吗叹尝喷严园围圆图团压坏壮寿梦夺奋妈妇孙宝审宽导届层岛岭师帐带币帮厂废广厅强弹归"
    "录径忧凭怀态庆懒战戏户拥择击担据扩摆摄数断旧暂历术极构枪楼标树桥检权欧欢岁残"
    "杀气汉汤沟灭满渔济涛湾灯炉争墙奖独狱获献环琼毕疗尽监盘众础确礼祸称稳穷竞笔节筑简篮"
    "粮纪约红纳纸级细终组结统丝绿维网紧线练县总绩织继续罗义习圣联职脑脚脸举舰艺苏药处虚号"
    "虫蛮补装裤规视亲觉观触计订讨训记许诉诊词试诗该详认误调谈请论诸讲谢证识译议护赞贝负财"
    "责货质费资宾赏赖购赠赢赵赶迹军轨软较载轻辆辈轮辑输转办农递遗辽邻钓铃铅销锋钢锁镇"
)
# What stands in both rows, or has been written in both ways for long, tells nothing.
_BOTH = frozenset(_TRADITIONAL) & frozenset(_SIMPLIFIED) | frozenset("后里面云台德繁强于昇系範曆划")
TRADITIONAL = frozenset(_TRADITIONAL) - _BOTH
SIMPLIFIED = frozenset(_SIMPLIFIED) - _BOTH

_FEWEST = 50  # characters that tell, for a rate that says something
_FULL_WIDTH = {
    chr(code) for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
}


def traditional_rate(characters: Counter[str]) -> float | None:
    """Return the share of traditional characters among those of one way of writing only.

    None: there are few of them, or the text is Japanese, which has characters of both.
    """
    if sum(characters[kana] for kana in "のはをにがでとたし") > characters["的"]:
        return None
    traditional = sum(characters[character] for character in TRADITIONAL)
    simplified = sum(characters[character] for character in SIMPLIFIED)
    both = traditional + simplified
    return traditional / both if both >= _FEWEST else None


def full_width_rate(characters: Counter[str]) -> float | None:
    """Return the share of the digits and Latin letters that are full-width (１２ＡＢ).

    None: there are few of them.
    """
    wide = sum(characters[character] for character in _FULL_WIDTH)
    plain = sum(
        n for character, n in characters.items() if character.isascii() and character.isalnum()
    )
    return wide / (wide + plain) if wide + plain >= _FEWEST else None
