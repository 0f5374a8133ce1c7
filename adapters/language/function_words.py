"""Function words by language: they show which language a text is in and carry no topic."""

from collections.abc import Iterable
from functools import cache

from webseam.ports.text import lazy_pattern

from .scripts import find_words
from .stems import ENGLISH

_MIN_FUNCTION_WORDS = 2
_ENGLISH_FUNCTION_WORDS = (
    "a about an and are as at be been but by can do for from had has have he his how i if in into "
    "is it its more no not of on or she so some than that the their them then there these they "
    "this to was we were what when where which who will with would you your"
)
_FUNCTION_WORDS = {
    "ar": "إلى أن أو أي بعد بين التي الذي حيث على عن عند غير في قبل قد كان كانت كل كما لا لم ما مع "
    "من هذا هذه هو هي وقد ولا",
    "ca": "al als amb aquest aquesta com de del dels és el els en es està ha i la les li més no "
    "o on per perquè però que qui sense ser seu si són també un una",
    "cs": "a aby ale ani být bude co do i jak jako je jeho jejich jen jsou k které který má na "
    "nebo o od po pro se si s tak také ve v z za že",
    "da": "af alle at blev de den der det du efter eller en er et for fra han har hvad hvor ikke "
    "i jeg kan med man men mere når og også om på sig skal som til var ved vi være",
    "de": "aber als am an auch auf aus bei bis das dass dem den der des die durch ein eine einem "
    "einen einer er es für hat im in ist kann man mit nach nicht nur oder sein sich sie sind so "
    "über um und unter von vor war was wenn werden wie wird wurde zu zum zur",
    "el": "από δεν είναι έχει ή θα και κατά με μια όπως όταν που πριν προς σε στα στη "
    "στην στις στο στον στους τα την της τις του τους των ως",
    "es": "al como con cuando de del desde donde el ella en entre era es esta está este fue ha han "
    "hasta la las le lo los más muy no o para pero por porque que se según ser si sin sobre son "
    "su sus también un una y",
    "fa": "آن از است اما این با باید بر برای به بود تا چه خود در را شد شده که می نیز های هم و یک",
    "fi": "ei eikä eli ettei että he hän hänen ilman ja jo joiden joihin joissa joista joita joka "
    "joko jolla jolloin jonka jos jossa josta jota joten jotka kanssa kuin kun kunnes kuten mitä "
    "mukaan mutta myös ne niiden niin niitä nyt nämä ole oli olivat olla ollut on ovat se sekä sen "
    "siihen siinä siitä sillä sitten sitä tai tämä tämän tässä tätä vain vaikka voi voidaan voit",
    "fr": "a au aux avec ce cette ces comme dans de des du elle en est et était il ils la le les "
    "leur mais ne nous on ont ou où par pas plus pour qu que qui sa sans se ses son sont sur un "
    "une vous",
    "hi": "अपने इस इसके उनके एक एवं और कर करने का कि किया की कुछ के को गया जो तक तो था थी थे द्वारा "
    "नहीं ने पर बाद भी में यह या लिए वह से हुए है हैं हो होता",
    "hu": "a az azt csak de egy és ez ha hogy is kell ki le már meg mely mert mint nem nincs ott "
    "s sem több vagy van volt",
    "id": "ada adalah akan atau bagi bahwa dalam dan dapat dari dengan di ini itu juga karena ke "
    "mereka oleh pada para sebagai sudah telah tersebut tidak untuk yang",
    "it": "a ai al alla anche che chi come con cui da dal dalla degli dei del della delle di dove "
    "e è era essere gli ha hanno i il in la le lo ma nel nella non o per più quando questa questo "
    "se si sono su sul un una",
    "nl": "aan als bij dan dat de deze die dit door een en er het hij hun in is kan maar meer met "
    "na naar niet nog of om onder ook op over te tot uit van voor waar was wat werd wie wordt ze "
    "zich zijn",
    "no": "alle at av ble da de den der det du eller en er et etter for fra ha han har hvor hva "
    "ikke i jeg kan med men mer når og også om på seg skal som til var ved vi være",
    "pl": "a ale bo być co czy dla do go i ich jak jako jest jego już kiedy który która które lub "
    "ma na nie o od oraz po pod przez przy się są tak to tylko w we z za ze że",
    "pt": "a ao aos as com como da das de do dos e é ela em entre era está foi há isso já mais mas "
    "na nas não no nos o os ou para pela pelo por que quando se sem ser seu sua são também um uma",
    "ro": "a ai al ale au ca care ce cu cum de din după este ei fi fost în într la lui mai nu o pe "
    "pentru prin sa să sau se si și sunt un unei unui",
    "ru": "без был была было быть в во все где для до если есть еще же за и из или их к как когда "
    "который которые которая на не но он она они от по под при так также то только что это",
    "sv": "alla att av blev de den denna det detta du efter eller en ett från för han har hon hur "
    "i inte jag kan man med men mer när och också om på sig ska som till under var vad vid vi är",
    "tr": "ama ancak bir bu çok da daha de değil en gibi göre ha her için ile ise kadar ki mi ne o "
    "olan olarak oldu sonra ve veya ya",
    "vi": "ai bao bị bởi các cho có của cũng đã để đến đó được gì hay hoặc không khi là mà một nào "
    "này nhiêu những như nhưng ở rằng sẽ tại thì theo trong từ và vào về với",
}  # fmt: skip


# Words that open a question, possibly behind another word (en qué). English allows no word
# before them: its statements have many of them in the second position.
_QUESTION_WORDS = {
    "ar": "أي أين كم كيف لماذا ما ماذا متى من هل",
    "ca": "com on quan quant quants què qui quin quina quines quins",
    "cs": "co jak jaká jaké jaký kde kdo kdy kolik která které který proč",
    "da": "hvad hvem hvilke hvilken hvilket hvor hvordan hvorfor hvornår",
    "de": "wann warum was welche welchem welchen welcher welches wem wen wer wessen wie wieso "
    "wieviel wieviele wo wodurch wofür woher wohin womit woran woraus worin worüber wovon wozu",
    "el": "γιατί ποια ποιας ποιες ποιο ποιοι ποιον ποιος ποιου ποιους "
    "πόσα πόσες πόσο πόσοι πότε πού πώς τι",
    "en": "are can could describe did discuss do does explain find give had has have how i is list "
    "may show should tell was were what when where which who whom whose why will would",
    "es": "cómo como cuál cual cuáles cuales cuándo cuando cuánta cuántas cuánto cuántos dónde "
    "donde qué quién quien quiénes",
    "fa": "آیا چرا چگونه چند چه کجا کدام کی",
    "fi": "keitä kenen kuinka kuka mihin mikä miksi milloin minkä missä mistä mitä miten mitkä "
    "onko",
    "fr": "combien comment où pourquoi quand que quel quelle quelles quels qui quoi",
    "hi": "कब कहाँ कहां कितना कितनी कितने किन किस किसने किसे कैसे कौन क्या क्यों",
    "hu": "hány hogyan hol ki kit melyik mennyi mi miért mikor milyen mit",
    "id": "apa apakah bagaimana berapa dimana kapan mana mengapa siapa",
    "it": "che chi come cosa dove perché qual quale quali quando quanta quante quanti quanto",
    "nl": "hoe hoeveel waar waarom wanneer wat welk welke wie",
    "no": "hva hvem hvilke hvilken hvilket hvor hvordan hvorfor når",
    "pl": "co czy dlaczego gdzie ile jak jaka jaki jakie kiedy kto która które który",
    "pt": "como onde porque qual quais quando quantas quanto quantos que quem",
    "ro": "câtă câte câți când care cât ce cine cui cum unde",
    "ru": "где зачем как какая какие каким каких какого какое какой каком какую кем когда кого "
    "кому кто куда насколько откуда почему сколько чего чей чем чему что",
    "sv": "hur när vad var varför vem vilka vilken vilket",
    "tr": "hangi hangileri hangisi kaç kim kime kimdir kimin kimler m\u0131 "
    "m\u0131d\u0131r mi midir mu mü nas\u0131l ne neden nedir nelerdir neler nerede nereden nereye "
    "niçin niye",
}  # fmt: skip
# First-person words of the person who asks.
_FIRST_PERSON_WORDS = {
    "ca": "jo meu meva puc", "cs": "já mi mohu můj mám", "da": "mig min mit mine",
    "de": "ich mein meine meinem meinen meiner meines mich mir uns unser unsere wir",
    "el": "εγώ μου μπορώ", "es": "me mi mis puedo yo", "fa": "من", "fi": "minä minun voin voinko",
    "fr": "je me mes moi mon ma peux puis", "hi": "मेरा मेरी मेरे मैं मुझे", "hu": "én engem nekem",
    "id": "aku saya", "it": "ho io mi mia miei mio posso", "nl": "ik mij mijn wij",
    "no": "meg min mitt mine", "pl": "ja mnie mogę mój moja mi", "pt": "eu me meu meus minha posso",
    "ro": "eu mea meu mi pot", "ru": "мне можно я", "sv": "mig min mina mitt",
    "tr": "ben bana benim",
}  # fmt: skip
# Elided forms of words before a vowel.
_ELIDED_WORDS = {
    "ca": "d l m n s t",
    "fr": "c d j l m n s t",
    "it": "all c d dall dell l nell sull",
}
# Words that mark a question at any position.
_QUESTION_WORDS_ANYWHERE = {
    "en": "how what whom why",
    "hi": _QUESTION_WORDS["hi"],
    "tr": _QUESTION_WORDS["tr"],
}
# The Greek question mark is a semicolon, or U+037E.
_QUESTION_MARK_PATTERN = lazy_pattern(r"[?\u037e\u061f\uff1f]|(?<=[\u0370-\u03ff\u1f00-\u1fff]);")
_GREEK_PATTERN = lazy_pattern(r"[\u0370-\u03ff]")
_OPENING_WORD_COUNTS = {ENGLISH: 1}
_DEFAULT_OPENING_WORD_COUNT = 2

FUNCTION_WORD_LANGUAGES = tuple(_FUNCTION_WORDS)


@cache
def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language as they are written; empty for an unlisted one."""
    words = _ENGLISH_FUNCTION_WORDS if language == ENGLISH else _FUNCTION_WORDS.get(language, "")
    return frozenset(words.split())


@cache
def question_words(language: str) -> frozenset[str]:
    """Return the words that open questions of a language, as they are written."""
    return frozenset(_QUESTION_WORDS.get(language, "").split())


@cache
def sentence_building_words(language: str, *, is_asked: bool) -> frozenset[str]:
    """Return function words and elided forms; with ``is_asked`` also words that questions use."""
    lists = (_QUESTION_WORDS, _FIRST_PERSON_WORDS, _ELIDED_WORDS) if is_asked else (_ELIDED_WORDS,)
    extra_words = (word for words in lists for word in words.get(language, "").split())
    return function_words(language).union(extra_words)


def foreign_function_words(
    words: frozenset[str], languages: Iterable[str], *, is_asked: bool = False
) -> frozenset[str]:
    """Return the function words of a question that is not in English; empty otherwise.

    ``is_asked`` includes question words. The text needs two function words, or one question word,
    and hardly any of English: languages share such words (die, war, man, come).

    >>> sorted(foreign_function_words(frozenset(("wie", "ist", "der", "berg")), ("en", "de")))
    ['der', 'ist', 'wie']
    >>> foreign_function_words(frozenset(("man", "in", "the", "war")), ("en", "de"))
    frozenset()
    """
    english = function_words(ENGLISH)
    frames = ((sentence_building_words(name, is_asked=is_asked), name) for name in languages)
    function_words_used, best = max(frames, key=lambda frame: len(frame[0] & words))
    english_words = sum(len(word) > 1 for word in words & english - function_words_used)
    foreign_words = len(words & function_words_used - english)
    has_question_word = is_asked and not question_words(best).isdisjoint(words)
    min_words = max(1 if has_question_word else _MIN_FUNCTION_WORDS, 2 * english_words + 1)
    return function_words_used & words if foreign_words >= min_words else frozenset()


def has_question_mark(text: str) -> bool:
    """Tell whether a text has a question mark of any script.

    >>> has_question_mark("τι είναι το IMAP;")
    True
    >>> has_question_mark("int deep;")
    False
    >>> not has_question_mark("το IMAP; port 143")
    True
    """
    if _QUESTION_MARK_PATTERN.search(text) is not None:
        return True
    before, mark, after = text.rpartition(";")
    last = before.rpartition(";")[2]
    return bool(mark) and not after.strip() and _GREEK_PATTERN.search(last) is not None


def is_question(lowered: str, language: str) -> bool:
    """Tell whether a lower-case text is a question, by its marks and its first words.

    >>> is_question("how do heat pumps work", "en")
    True
    >>> is_question("the pump is in the cellar", "en")
    False
    """
    words = find_words(lowered)
    opening_words = words[: _OPENING_WORD_COUNTS.get(language, _DEFAULT_OPENING_WORD_COUNT)]
    anywhere = _QUESTION_WORDS_ANYWHERE.get(language, "").split()
    return bool(
        has_question_mark(lowered)
        or question_words(language).intersection(opening_words)
        or frozenset(anywhere).intersection(words)
    )
