"""Frequent words of languages: they tell which language a text is in, and that it is one.

The first eight of each language are its stop words for the quality rule: those of English are
Gopher's (Rae et al. 2021), those of the others are as frequent and have as little meaning alone.
Words that several languages share tell nothing about one of them, and are kept because they tell
text from lists of names. The lists are our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["FUNCTION_WORDS", "NUM_STOP_WORDS", "STOP_WORDS", "stop_words_of"]

NUM_STOP_WORDS = 8

_WORDS = {
    "en": """
        the be to of and that have with a in is it for on as are was this by at from or an not but
        his her he she they their which has had its you we who been would there one when if out up
        my what can said do about into than them then over after some were wearing while
    """,
    "de": """
        der die und das ist nicht mit von den ein eine in zu auf für sich dem des im einen einem
        einer auch es an als er sie wie aus bei nach um wird sind war hat haben oder aber wenn nur
        noch werden über so vor zum zur durch ich wir unter
    """,
    "fr": """
        le la les et des est une dans de un du en que qui pour par sur pas au ce il elle sont plus
        ne avec se aux cette ces ou mais son sa ses nous vous ils était être a ont leur comme
    """,
    "es": """
        el la los que las una por con de y en un del se no para es su al lo como más pero sus le ha
        fue este sí porque esta son entre cuando muy sin sobre también hay era ser está
    """,
    "it": """
        il che di la è per una non e un in del della dei le i si con da al nel sono dal alla come
        anche più gli ha lo delle su questo ma ed era essere stato degli nella
    """,
    "pt": """
        que não uma os com as do da de o a e em um para é se no na por mais dos como mas ao ele das
        à seu sua ou foi são pelo pela até também isso está
    """,
    "nl": """
        het een en van niet de is met in dat op te zijn voor er aan die als ook bij was om hij ze
        door naar heeft wordt maar uit nog over hun deze zij worden dan wel
    """,
    "sv": """
        och att det som är inte en för i på av med till den har de ett om han var sig från så
        vi kan när hade hon eller under också efter denna
    """,
    "da": """
        og det er ikke at som en af i til på med for den har de der et var han fra hun blev om sig
        også eller efter kunne når være
    """,
    "nb": """
        og det er ikke som en av på i til med for den har de et var han fra hun ble om seg også
        eller etter kunne når være jeg
    """,
    "fi": """
        ja on ei että se hän ovat oli kun mutta myös joka tai kuin ole voi vain niin sen mukaan
        sekä ovat olla jos ne tämä hänen olivat vuonna
    """,
    "pl": """
        nie się jest że na to do jak w i z o po za od są przez ale tym dla oraz który które może
        tylko był było tego jego być już także
    """,
    "cs": """
        a je se že na to není jako v s z do pro by o jsou ale který která byl také nebo jeho být
        bylo při podle až po které tak
    """,
    "sk": """
        a je sa že na to nie ako v s z do pre by o sú ale ktorý ktorá bol tiež alebo jeho byť bolo
        pri podľa až po ktoré tak
    """,
    "hu": """
        és hogy nem az egy is de van a ez meg volt csak már mint ki el még vagy azt ha lesz minden
        ezt után amely
    """,
    "ro": """
        și nu este care să pe din la de în a cu o un ce mai sau se au fost prin pentru fi dar sunt
        ca acest lui după
    """,
    "tr": """
        ve bir bu için ile olarak da çok de daha olan gibi ne kadar sonra en ancak o var her ya
        değil ise göre tarafından mi olduğu
    """,
    "id": """
        yang dan di untuk dengan tidak dari ini itu dalam pada adalah akan ke oleh juga atau ada
        mereka sebagai telah bisa karena kepada saya
    """,
    "vi": """
        và của là không có được cho trong một các người này với những đã để khi từ đến cũng về ra
        như nhưng tại
    """,
    "ca": """
        i que de la el les amb una per els no és en un del al va són més com dels també aquest
        seva ser han
    """,
    "hr": """
        i je da se na nije su za u od s koji kao a što bi ili ne iz koja ali bio od te već po sa
        samo
    """,
    "sl": """
        in je da se na ni so za v pa ki bi z kot po tudi s o ali pri kar od ne bil še
    """,
    "lt": """
        ir yra kad su ne tai kaip iš į buvo bet o jo ar už dėl apie po per taip jis prie
    """,
    "lv": """
        un ir ka ar nav no par tas uz arī kas tika pie bet gan kā to viņš pēc vai lai
    """,
    "et": """
        ja on ei et see oli kui ka ta mis oma või aga ning siis nii seda kes välja pole
    """,
    "sq": """
        dhe të në një për me nuk është e i që nga se si ka më por kjo janë ishte
    """,
    "eu": """
        eta da ez bat du dira ere zen hau baina edo egin izan duen den dute beste behar
    """,
    "gl": """
        que non unha os co as do da de o a e en un para é se no na por máis dos como pero ao
        tamén foi
    """,
    "ru": """
        и в не на что с это как он я но к у по из за от так для же вы бы все его был только о она
        было или еще если уже при мы они чтобы также
    """,
    "uk": """
        і в не на що з це як та до є у він від за але для про його було або які який був також ми
        вони її при ще
    """,
    "bg": """
        и в не на че се да от за е с това като по са си до но той има как или беше една които
    """,
    "sr": """
        и је да се на није су за у од који као а што са из ће али био или по те само
    """,
    "el": """
        και το να του η της που δεν με για την από στο τα είναι ο οι των στην θα τη τον ένα μια
        αλλά ως ότι
    """,
    "ar": """
        في من على أن إلى لا عن هذا التي ما الذي مع كان هذه ذلك أو قد كما بين بعد ولا هو هي كل لم
        إن
    """,
    "fa": """
        و در به از که را این با است برای آن یک بر تا هم می نیز شد بود شده خود آنها یا
    """,
    "ur": """
        کے میں کی ہے اور سے کا کو نہیں اس پر کہ نے ہیں تھا یہ بھی ایک جو کر وہ تھے
    """,
    "he": """
        של את לא על זה הוא עם כי גם היא אני יש אל או היה כל מה אבל אם הם בין רק יותר
    """,
    "hi": """
        के में है की और से का को नहीं पर यह ने कि हैं भी एक था इस लिए जो कर तो वह
    """,
    "bn": """
        এবং এই না করে একটি থেকে জন্য হয় তার যে ও সঙ্গে এক করা হয়েছে কিন্তু তিনি পর
    """,
}

FUNCTION_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {language: frozenset(words.split()) for language, words in _WORDS.items()}
)
_STOP_WORDS = {language: words.split()[:NUM_STOP_WORDS] for language, words in _WORDS.items()}
STOP_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {language: frozenset(words) for language, words in _STOP_WORDS.items()}
)


def stop_words_of(language: str) -> frozenset[str] | None:
    """Return the stop words of a language (ISO 639-1); None: there is no list of it."""
    return STOP_WORDS.get("nb" if language == "no" else language)
