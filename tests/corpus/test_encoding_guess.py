"""Which encoding bytes have, and that text of a wrong one is noticed."""

from __future__ import annotations

import random
import time

import pytest

from foretext.corpus.encoding_guess import likely_encodings
from foretext.corpus.wrong_encoding import is_strange, is_wrong, unusual_words

TEXTS = {
    "ru": (
        "Корабль вернулся в гавань поздно ночью, и никто не знал, почему "
        "капитан молчит. Утром рыбаки вышли в море, хотя ветер был сильный. "
        "Старик сидел у окна и смотрел, как волны бьются о камни."
    ),
    "uk": (
        "Корабель повернувся в гавань пізно вночі, і ніхто не знав, чому "
        "капітан мовчить. Вранці рибалки вийшли в море, хоча вітер був "
        "сильний. Її син сидів біля вікна й дивився, як хвилі б'ються об "
        "каміння."
    ),
    "bg": (
        "Корабът се върна в пристанището късно през нощта и никой не знаеше "
        "защо капитанът мълчи. Сутринта рибарите излязоха в морето, въпреки че "
        "вятърът беше силен."
    ),
    "pl": (
        "Statek wrócił do portu późno w nocy i nikt nie wiedział, dlaczego "
        "kapitan milczy. Rano rybacy wypłynęli w morze, choć wiatr był silny. "
        "Starzec siedział przy oknie i patrzył, jak fale biją o skały, a gęś "
        "żółć źle ścisnęła."
    ),
    "cs": (
        "Loď se vrátila do přístavu pozdě v noci a nikdo nevěděl, proč kapitán "
        "mlčí. Ráno vypluli rybáři na moře, i když byl silný vítr. Stařec "
        "seděl u okna a díval se, jak vlny bijí o skály, příliš žluťoučký kůň."
    ),
    "hu": (
        "A hajó késő éjjel tért vissza a kikötőbe, és senki sem tudta, miért "
        "hallgat a kapitány. Reggel a halászok kimentek a tengerre, bár erős "
        "szél fújt, őrült tűzoltó."
    ),
    "el": (
        "Το πλοίο γύρισε στο λιμάνι αργά τη νύχτα και κανείς δεν ήξερε γιατί ο "
        "καπετάνιος σωπαίνει. Το πρωί οι ψαράδες βγήκαν στη θάλασσα, αν και ο "
        "άνεμος ήταν δυνατός."
    ),
    "ar": (
        "عادت السفينة إلى الميناء في وقت متأخر من الليل ولم يعرف أحد لماذا "
        "يصمت القبطان. في الصباح خرج الصيادون إلى البحر رغم أن الريح كانت "
        "قوية."
    ),
    "he": (
        "האונייה חזרה לנמל מאוחר בלילה ואיש לא ידע מדוע הקברניט שותק. בבוקר "
        "יצאו הדייגים אל הים אף שהרוח הייתה חזקה."
    ),
    "ja": (
        "船は夜遅く港に戻ったが、船長がなぜ黙っているのか誰も知らなかった。朝になると、風"
        "が強かったのに漁師たちは海に出た。老人は窓のそばに座って、波が岩にぶつかるのを見"
        "ていた。"
    ),
    "ko": (
        "배는 밤늦게 항구로 돌아왔지만 선장이 왜 말이 없는지 아무도 몰랐다. 아"
        "침이 되자 바람이 강했지만 어부들은 바다로 나갔다. "
        "노인은 창가에 앉아 파도를 바라보았다."
    ),
    "th": (
        "เรือกลับเข้าท่าเรือตอนดึก และไม่มีใครรู้"
        "ว่าทำไมกัปตันถึงเงียบ "
        "ตอนเช้าชาวประมงออกทะเลแม้ว่าลมจะแรงมาก "
        "ชายชรานั่งอยู่ริมหน้าต่างและมองดูคลื่น"
    ),
    "zh": (
        "船在深夜回到了港口，没有人知道船长为什么沉默。早上渔民们出海了，虽然风很大。老人"
        "坐在窗边，看着海浪拍打着岩石。我们在城里住了三年，后来搬到了北方。"
    ),
    "zht": (
        "船在深夜回到了港口，沒有人知道船長為什麼沉默。早上漁民們出海了，雖然風很大。老人"
        "坐在窗邊，看著海浪拍打著岩石。我們在城裡住了三年，後來搬到了北方。"
    ),
    "de": (
        "Das Schiff kehrte spät in der Nacht in den Hafen zurück, und niemand "
        "wußte, warum der Kapitän schwieg. Am Morgen fuhren die Fischer "
        "hinaus, obwohl der Wind stark war. Die Männer hörten über der Stadt "
        "große Möwen."
    ),
    "fr": (
        "Le navire est revenu au port tard dans la nuit, et personne ne savait "
        "pourquoi le capitaine se taisait. Le matin, les pêcheurs sont partis "
        "en mer, bien que le vent fût très fort. Où est passé le vieil homme à "
        "la fenêtre ?"
    ),
    "es": (
        "El barco volvió al puerto muy tarde en la noche y nadie sabía por qué "
        "el capitán callaba. Por la mañana los pescadores salieron al mar, "
        "aunque el viento era muy fuerte. ¿Dónde está el niño?"
    ),
    "sv": (
        "Skeppet återvände till hamnen sent på natten och ingen visste varför "
        "kaptenen teg. På morgonen åkte fiskarna ut på havet, fast vinden var "
        "stark. Öarna låg där före gryningen."
    ),
    "tr": (
        "Gemi gece geç saatte limana döndü ve kaptanın neden sustuğunu kimse "
        "bilmiyordu. Sabah rüzgâr güçlü olmasına rağmen balıkçılar denize "
        "açıldı. Yaşlı adam pencerenin yanında oturdu, dağlara baktı, ışık "
        "söndü."
    ),
    "lt": (
        "Laivas grįžo į uostą vėlai naktį, ir niekas nežinojo, kodėl kapitonas "
        "tyli. Rytą žvejai išplaukė į jūrą, nors pūtė stiprus vėjas. Senis "
        "sėdėjo prie lango ir žiūrėjo į bangas, šiltą ąžuolą."
    ),
    "ro": (
        "Nava s-a întors în port noaptea târziu şi nimeni nu ştia de ce "
        "căpitanul tace. Dimineaţa pescarii au ieşit pe mare, deşi vântul era "
        "puternic. Bătrânul stătea lângă fereastră."
    ),
}
ENCODINGS = [
    ("ru", "cp1251"),
    ("ru", "koi8-r"),
    ("ru", "iso8859-5"),
    ("ru", "cp866"),
    ("uk", "koi8-u"),
    ("bg", "cp1251"),
    ("pl", "cp1250"),
    ("pl", "iso8859-2"),
    ("cs", "iso8859-2"),
    ("hu", "cp1250"),
    ("el", "cp1253"),
    ("ar", "cp1256"),
    ("he", "cp1255"),
    ("ja", "euc_jp"),
    ("ja", "shift_jis"),
    ("ko", "euc_kr"),
    ("th", "cp874"),
    ("zh", "gb18030"),
    ("zht", "big5"),
    ("de", "cp1252"),
    ("fr", "latin-1"),
    ("es", "latin-1"),
    ("sv", "latin-1"),
    ("tr", "cp1254"),
    ("lt", "cp1257"),
    ("ro", "cp1250"),
]


@pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
def test_the_encoding_is_found_or_is_one_of_a_few(language: str, encoding: str) -> None:
    data = TEXTS[language].encode(encoding)
    found = likely_encodings(data)
    assert 1 <= len(found) <= 3
    assert TEXTS[language] in [data.decode(each) for each in found]


@pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
def test_most_are_found_without_doubt(language: str, encoding: str) -> None:
    data = TEXTS[language].encode(encoding)
    near = {"pl", "cs", "hu"}  # of encodings that differ in a few letters
    if language not in near:
        assert data.decode(likely_encodings(data)[0]) == TEXTS[language]


def test_bytes_by_chance_have_no_encoding() -> None:
    draws = random.Random(7)
    assert likely_encodings(bytes(draws.randrange(1, 256) for _ in range(4000))) == ()
    assert likely_encodings(bytes(draws.choices(range(128, 256), k=4000))) == ()


@pytest.mark.parametrize("language", TEXTS)
def test_right_text_is_not_strange(language: str) -> None:
    assert not is_wrong(TEXTS[language])


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        pair
        for pair in ENCODINGS
        if pair[0] in ("ru", "uk", "bg", "el", "ar", "he", "ja", "ko", "th", "zh", "zht")
    ],
)
@pytest.mark.parametrize("read", ["cp1252", "latin-1"])
def test_text_of_the_wrong_encoding_is_noticed(language: str, encoding: str, read: str) -> None:
    if encoding == "cp866":
        return  # whose small letters are signs and ASCII; the guess is right, though
    assert is_wrong(TEXTS[language].encode(encoding).decode(read, "replace"))


@pytest.mark.parametrize(
    ("word", "strange"),
    [
        ("âåðíóëñÿ", True),
        ("лЮПЮАКЭ", True),
        ("´¬ÔÚÉîÒ¹", True),
        ("Goğan", False),
        ("œuvre,", False),
        ("«Élève»", False),
        ("żółć", True),  # such a word is rare: their share decides
        ("naïve—really", False),
        ("MünchenВокзал", True),
        ("20€", False),
        ("iPhone–Käufer", False),
    ],
)
def test_a_strange_word(word: str, strange: bool) -> None:
    assert is_strange(word) == strange


@pytest.mark.parametrize("long", ["ACGT" * 250_000, "Straße" * 100_000, "’‘" * 200_000])
def test_a_word_without_end_takes_no_time(long: str) -> None:
    text = f"{long} é"
    assert unusual_words(text) == [word for word in (long, "é") if not word.isascii()]
    start = time.process_time()
    is_wrong(text)
    assert time.process_time() - start < 2  # hours, if it grew with the square of the length
