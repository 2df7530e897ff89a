"""What a form shows at first, by language: the one table of example texts.

The texts are our own and say nothing of anyone's data. `known_languages` recognises a language by
its `text`, which is therefore made of frequent words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

__all__ = ["EXAMPLE_TEXTS", "example_texts", "examples_of_words"]

MASK = "[MASK]"  # what requests call the hidden word, whatever the tokenizer calls it
SHORT = 4  # words of a text that is made of single words
OTHERWISE = "en"


class ExampleTexts(NamedTuple):
    """The examples of a language."""

    marked: str  # a sentence of frequent words; one is in brackets, and can be hidden
    names: str  # a sentence that names people, places and companies
    pair: tuple[str, str]  # which say the same
    passage: tuple[str, ...]  # whose first sentence answers the question
    question: str
    analogy: tuple[str, str, str]  # the first is to the second as the third to what is asked for

    @property
    def text(self) -> str:
        """The sentence of frequent words."""
        return self.marked.replace("[", "").replace("]", "")

    def facts(self) -> dict[str, Any]:
        """Return what a page shows, by name, as JSON has it."""
        before, rest = self.marked.split("[")
        return {
            "text": self.text,
            "blank": before + MASK + rest.split("]")[1],
            "prompt": before.rstrip(),
            "names": self.names,
            "pair": list(self.pair),
            "passage": list(self.passage),
            "question": self.question,
            "analogy": list(self.analogy),
        }


_TEXTS = {
    "en": ExampleTexts(
        "He has lived here for three [years], and this is the first time that we see the house.",
        "In May, Angela Merkel met the managers of Siemens in Munich and flew to Paris.",
        ("The match ended without a goal.", "Nobody scored in the game."),
        (
            "The museum is open from nine to five.",
            "Children under six need no ticket.",
            "Trains leave from the main station every hour.",
            "A guide shows the paintings on Sundays.",
        ),
        "When does the museum open?",
        ("man", "king", "woman"),
    ),
    "zh": ExampleTexts(
        "这里的[历史]让我们发现这个国家的文化和人民。",
        "五月，默克尔在慕尼黑会见了西门子公司的经理，然后飞往巴黎。",
        ("这场比赛没有进球。", "比赛中无人得分。"),
        (
            "博物馆每天九点开放，下午五点关闭。",
            "六岁以下儿童免票。",
            "火车每小时从中央车站发出一班。",
            "每周日有导游讲解绘画作品。",
        ),
        "博物馆几点开门？",
        ("中国", "北京", "日本"),
    ),
    "de": ExampleTexts(
        "Er wohnt seit drei [Jahren] hier, und das ist das erste Mal, dass wir das Haus sehen.",
        "Im Mai traf Angela Merkel die Manager von Siemens in München und flog nach Paris.",
        ("Das Spiel endete ohne ein Tor.", "Niemand hat in der Partie getroffen."),
        (
            "Das Museum ist von neun bis fünf Uhr geöffnet.",
            "Kinder unter sechs Jahren brauchen keine Karte.",
            "Züge fahren jede Stunde vom Hauptbahnhof ab.",
            "Am Sonntag werden die Gemälde erklärt.",
        ),
        "Wann öffnet das Museum?",
        ("Mann", "König", "Frau"),
    ),
    "fr": ExampleTexts(
        "Il vit ici depuis trois [ans], et c'est la première fois que nous voyons la maison.",
        "En mai, Angela Merkel a vu la direction de Siemens à Munich, puis est partie à Paris.",
        ("Le match s'est terminé sans but.", "Personne n'a marqué pendant la partie."),
        (
            "Le musée est ouvert de neuf heures à dix-sept heures.",
            "Les enfants de moins de six ans n'ont pas besoin de billet.",
            "Un train part de la gare centrale toutes les heures.",
            "Un guide présente les tableaux le dimanche.",
        ),
        "Quand ouvre le musée ?",
        ("homme", "roi", "femme"),
    ),
    "es": ExampleTexts(
        "Vive aquí desde hace tres [años], y esta es la primera vez que vemos la casa.",
        "En mayo, Angela Merkel se reunió con los directivos de Siemens en Múnich y voló a París.",
        ("El partido terminó sin goles.", "Nadie marcó en el encuentro."),
        (
            "El museo está abierto de nueve a cinco.",
            "Los niños menores de seis años no necesitan entrada.",
            "Los trenes salen de la estación central cada hora.",
            "Un guía muestra los cuadros los domingos.",
        ),
        "¿Cuándo abre el museo?",
        ("hombre", "rey", "mujer"),
    ),
    "it": ExampleTexts(
        "Vive qui da tre [anni], e questa è la prima volta che vediamo la casa.",
        "A maggio Angela Merkel ha visto i dirigenti della Siemens a Monaco ed è andata a Parigi.",
        ("La partita è finita senza gol.", "Nessuno ha segnato durante l'incontro."),
        (
            "Il museo è aperto dalle nove alle cinque.",
            "I bambini sotto i sei anni non hanno bisogno del biglietto.",
            "I treni partono dalla stazione centrale ogni ora.",
            "La domenica una guida mostra i quadri.",
        ),
        "Quando apre il museo?",
        ("uomo", "re", "donna"),
    ),
    "pt": ExampleTexts(
        "Ele vive aqui há três [anos], e esta é a primeira vez que vemos a casa.",
        "Em maio, Angela Merkel encontrou os diretores da Siemens em Munique e voou para Paris.",
        ("O jogo terminou sem gols.", "Ninguém marcou na partida."),
        (
            "O museu está aberto das nove às cinco.",
            "Crianças com menos de seis anos não precisam de bilhete.",
            "Os trens saem da estação central a cada hora.",
            "Um guia mostra os quadros aos domingos.",
        ),
        "Quando abre o museu?",
        ("homem", "rei", "mulher"),
    ),
    "nl": ExampleTexts(
        "Hij woont hier al drie [jaar], en dit is de eerste keer dat we het huis zien.",
        "In mei sprak Angela Merkel met de leiding van Siemens in München en vloog ze naar Parijs.",
        ("De wedstrijd eindigde zonder doelpunt.", "Niemand scoorde in het duel."),
        (
            "Het museum is open van negen tot vijf.",
            "Kinderen onder de zes jaar hebben geen kaartje nodig.",
            "Elk uur vertrekt er een trein van het centraal station.",
            "Op zondag laat een gids de schilderijen zien.",
        ),
        "Wanneer gaat het museum open?",
        ("man", "koning", "vrouw"),
    ),
    "pl": ExampleTexts(
        "On mieszka tu od trzech [lat], a my po raz pierwszy widzimy ten dom.",
        "W maju Angela Merkel spotkała szefów firmy Siemens w Monachium i poleciała do Paryża.",
        ("Mecz zakończył się bez bramek.", "Nikt nie strzelił gola w tym spotkaniu."),
        (
            "Muzeum jest otwarte od dziewiątej do siedemnastej.",
            "Dzieci do lat sześciu nie potrzebują biletu.",
            "Pociągi odjeżdżają z dworca głównego co godzinę.",
            "W niedziele przewodnik pokazuje obrazy.",
        ),
        "O której otwiera się muzeum?",
        ("mężczyzna", "król", "kobieta"),
    ),
    "ru": ExampleTexts(
        "Он жил здесь три [года], и это первый раз, когда мы видим этот дом.",
        "В мае Ангела Меркель встретилась с руководством Siemens в Мюнхене и вылетела в Париж.",
        ("Матч закончился без голов.", "В этой игре никто не забил."),
        (
            "Музей открыт с девяти до пяти.",
            "Детям до шести лет билет не нужен.",
            "Поезда отправляются с главного вокзала каждый час.",
            "По воскресеньям экскурсовод показывает картины.",
        ),
        "Когда открывается музей?",
        ("мужчина", "король", "женщина"),
    ),
    "uk": ExampleTexts(
        "Він живе тут уже три [роки], і це перший раз, коли ми бачимо цей будинок.",
        "У травні Ангела Меркель зустрілася з керівництвом Siemens у Мюнхені та поїхала в Париж.",
        ("Матч закінчився без голів.", "У цій грі ніхто не забив."),
        (
            "Музей відкритий з дев'ятої до п'ятої.",
            "Дітям до шести років квиток не потрібен.",
            "Поїзди відправляються з головного вокзалу щогодини.",
            "У неділю екскурсовод показує картини.",
        ),
        "Коли відкривається музей?",
        ("чоловік", "король", "жінка"),
    ),
    "el": ExampleTexts(
        "Ζει εδώ τρία [χρόνια] και είναι η πρώτη φορά που βλέπουμε το σπίτι.",
        "Τον Μάιο η Άνγκελα Μέρκελ είδε τη διοίκηση της Siemens στο Μόναχο και πήγε στο Παρίσι.",
        ("Ο αγώνας τελείωσε χωρίς γκολ.", "Κανείς δεν σκόραρε στο παιχνίδι."),
        (
            "Το μουσείο είναι ανοιχτό από τις εννέα έως τις πέντε.",
            "Τα παιδιά κάτω των έξι ετών δεν χρειάζονται εισιτήριο.",
            "Τα τρένα φεύγουν από τον κεντρικό σταθμό κάθε ώρα.",
            "Τις Κυριακές ένας ξεναγός δείχνει τους πίνακες.",
        ),
        "Πότε ανοίγει το μουσείο;",
        ("άνδρας", "βασιλιάς", "γυναίκα"),
    ),
    "ar": ExampleTexts(
        "يعيش هنا منذ ثلاث [سنوات]، وهذه هي المرة الأولى التي نرى فيها البيت.",
        "في مايو التقت أنغيلا ميركل مديري شركة سيمنز في ميونخ ثم سافرت إلى باريس.",
        ("انتهت المباراة دون أهداف.", "لم يسجل أحد في المباراة."),
        (
            "المتحف مفتوح من التاسعة حتى الخامسة.",
            "لا يحتاج الأطفال دون السادسة إلى تذكرة.",
            "تغادر القطارات من المحطة الرئيسية كل ساعة.",
            "يشرح مرشد اللوحات يوم الأحد.",
        ),
        "متى يفتح المتحف؟",
        ("رجل", "ملك", "امرأة"),
    ),
    "he": ExampleTexts(
        "הוא גר כאן כבר שלוש [שנים], וזו הפעם הראשונה שאנחנו רואים את הבית.",
        "במאי פגשה אנגלה מרקל את מנהלי סימנס במינכן וטסה לפריז.",
        ("המשחק הסתיים ללא שערים.", "אף אחד לא כבש במשחק."),
        (
            "המוזיאון פתוח מתשע עד חמש.",
            "ילדים מתחת לגיל שש אינם צריכים כרטיס.",
            "רכבות יוצאות מהתחנה המרכזית בכל שעה.",
            "מדריך מציג את הציורים בימי ראשון.",
        ),
        "מתי נפתח המוזיאון?",
        ("גבר", "מלך", "אישה"),
    ),
    "hi": ExampleTexts(
        "वह यहाँ तीन [साल] से रह रहा है और हम यह घर पहली बार देख रहे हैं।",
        "मई में एंजेला मर्केल म्यूनिख में सीमेंस के प्रबंधकों से मिलीं और पेरिस गईं।",
        ("मैच बिना गोल के समाप्त हुआ।", "खेल में किसी ने गोल नहीं किया।"),
        (
            "संग्रहालय नौ बजे से पाँच बजे तक खुला है।",
            "छह साल से छोटे बच्चों को टिकट नहीं चाहिए।",
            "मुख्य स्टेशन से हर घंटे एक ट्रेन चलती है।",
            "रविवार को एक गाइड चित्र दिखाता है।",
        ),
        "संग्रहालय कब खुलता है?",
        ("पुरुष", "राजा", "महिला"),
    ),
    "tr": ExampleTexts(
        "O üç [yıldır] burada yaşıyor ve biz bu evi ilk kez görüyoruz.",
        "Mayıs ayında Angela Merkel Münih'te Siemens yöneticileriyle görüştü ve Paris'e uçtu.",
        ("Maç golsüz sona erdi.", "Karşılaşmada kimse gol atmadı."),
        (
            "Müze dokuzdan beşe kadar açık.",
            "Altı yaşından küçük çocuklar için bilet gerekmez.",
            "Trenler merkez istasyonundan her saat kalkar.",
            "Pazar günleri bir rehber tabloları anlatır.",
        ),
        "Müze ne zaman açılıyor?",
        ("erkek", "kral", "kadın"),
    ),
    "ja": ExampleTexts(
        "彼はここに三[年]住んでいて、私たちがこの家を見るのは初めてです。",
        "五月にメルケル氏はミュンヘンでシーメンスの経営陣と会い、パリへ向かった。",
        ("試合は無得点で終わった。", "その試合では誰も点を取らなかった。"),
        (
            "美術館は九時から五時まで開いています。",
            "六歳未満の子供は無料です。",
            "電車は中央駅から一時間ごとに出ます。",
            "日曜日にはガイドが絵画を案内します。",
        ),
        "美術館は何時に開きますか。",
        ("男", "王", "女"),
    ),
    "ko": ExampleTexts(
        "그는 여기에서 삼 [년] 동안 살았고 우리가 이 집을 보는 것은 처음이다.",
        "오월에 메르켈은 뮌헨에서 지멘스 경영진을 만나고 파리로 갔다.",
        ("경기는 골 없이 끝났다.", "그 경기에서 아무도 득점하지 못했다."),
        (
            "박물관은 아홉 시부터 다섯 시까지 문을 연다.",
            "여섯 살 미만의 어린이는 표가 필요 없다.",
            "기차는 중앙역에서 한 시간마다 출발한다.",
            "일요일에는 안내원이 그림을 설명한다.",
        ),
        "박물관은 언제 문을 여나요?",
        ("남자", "왕", "여자"),
    ),
}
EXAMPLE_TEXTS: Mapping[str, ExampleTexts] = MappingProxyType(_TEXTS)


def example_texts(languages: Sequence[str] | None) -> dict[str, Any]:
    """Return what a form shows at first, by name, as JSON has it.

    Args:
        languages: that a model knows, the best known first; None or (): English is shown.
    """
    return EXAMPLE_TEXTS[languages[0] if languages else OTHERWISE].facts()


def examples_of_words(words: Sequence[str]) -> dict[str, Any]:
    """Return the same, made of single words, where the language of a vocabulary is not known.

    Args:
        words: of the vocabulary, the first of which are shown; without any, {} is returned.
    """
    shown = list(islice(filter(_is_word, words), 2 * SHORT))
    if not shown:
        return {}
    first, second = shown[:SHORT], shown[SHORT:] or shown[:SHORT]
    one, other = " ".join(first), " ".join(second)
    return ExampleTexts(
        marked=" ".join([*first[:-1], f"[{first[-1]}]"]),
        names=f"{one} {other}",
        pair=(one, other),
        passage=tuple(shown),
        question=first[0],
        analogy=(first[0], first[-1], second[-1]),
    ).facts()


def _is_word(token: str) -> bool:
    """Return whether a token has a letter and is none such as [UNK] or </s>."""
    return any(map(str.isalpha, token)) and not {*"[]<>"} & {*token}
