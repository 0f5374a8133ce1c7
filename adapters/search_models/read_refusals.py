# ruff: noqa: RUF001  the letters of other languages are meant
"""A model's words that it could not read a page, which are not the page.

Whoever cannot browse says so in the first sentence, in the first person, and is soon done. No text
of a page begins like that, at that length, which is checked over the pages of an annotated corpus.
"""

import re

# A refusal explains itself and offers help; a page is longer, or begins otherwise.
_MAX_REFUSAL_CHARS = 2500
_OPENING = 400
_REST = r"[^.!?。！？\n]{0,160}?"
_ADDRESS = re.compile(r"https?://[^\s<>\"')\]]*[^\s<>\"')\].,;:!?]")
_LEAD = re.compile(
    r"(?:#+[^\n]{0,80}\n+)?[\s>*_\"'“]*"
    r"(?:(?:i(?:['’]m| am) (?:very |so |really )?(?:sorry|afraid)|sorry|unfortunately|regrettably"
    r"|(?:my )?apologies|i (?:do )?apologi[sz]e[^,.!]{0,80}|as an? (?:ai|language)[^,.]{0,60}"
    r"|es tut mir (?:sehr )?leid|leider|entschuldigung|als (?:ki|sprachmodell)[^,.]{0,60}"
    r"|(?:je suis )?(?:vraiment )?désolée?|malheureusement"
    r"|lo siento(?: mucho)?|lamentablemente|desafortunadamente"
    r"|mi dispiace|purtroppo|(?:sinto muito|desculpe|infelizmente|lamento)"
    r"|het spijt me|helaas|przepraszam|niestety|извините|к сожалению"
    r"|(?:很)?(?:抱歉|对不起)|申し訳(?:ありません|ございません)|すみません|죄송(?:합니다|하지만)|üzgünüm|maalesef"
    r"|عذر[اً]+|آسف|للأسف)"
    r"(?:[\s,.;:!—–、，،。-]*(?:but|that|aber|dass|mais|pero|maar|mas|ma|ale|но|但(?:是)?|が|ですが)?\s*))*",
    re.IGNORECASE,
)
_PAGE = (
    r"(?:pages?|urls?|links?|web ?sites?|sites?|web|internet|online|articles?|content|documents?"
    r"|address|browsing)\b"
)
_REACH = r"(?:access|open|brows|visit|view|load|fetch|retriev|reach|read|navigat|click|connect)\w*"
_SAYINGS = {
    "English": (
        r"(?:i|we)(?: (?:currently|presently|still|also|just|simply))*"
        r"(?: cannot| can['’]t| can not|['’]m (?:currently )?(?:unable|not able)"
        r"| am (?:currently )?(?:unable|not able)| was (?:unable|not able)| wasn['’]t able"
        r"| could not| couldn['’]t| do(?: not|n['’]t)(?: currently)? have| lack| have no)"
        rf"{_REST}\b{_REACH}{_REST}\b{_PAGE}"
    ),
    "English, of a browser": (
        r"(?:i|we) (?:do(?: not|n['’]t)(?: currently)? have|lack|have no)"
        rf"{_REST}\b(?:browsing|web browser|internet access)\b"
    ),
    "English, in short": rf"unable to {_REACH}{_REST}\b(?:this|that|the|your) {_REST}{_PAGE}",
    "German": (
        rf"(?:ich kann|kann ich|ich konnte|konnte ich){_REST}"
        r"\b(?:seite|webseite|website|url|link|adresse|artikel|internet|inhalte?)\w*"
        rf"{_REST}\b(?:nicht|kein\w*)\b"
    ),
    "German, of a browser": (
        rf"(?:ich habe|habe ich) keinen? {_REST}(?:internet|webseiten?|browser|zugriff|zugang)"
    ),
    "French": (
        r"je (?:ne (?:peux|parviens|suis)|n['’](?:ai|arrive|étais)) (?:pas|plus)?"
        rf"{_REST}\b(?:page|url|lien|site|internet|article|contenu|adresse)"
    ),
    "Spanish": (
        rf"no (?:puedo|pude|he podido|tengo|logré|soy capaz){_REST}"
        r"\b(?:página|url|enlace|sitio|internet|artículo|contenido|navegar)"
    ),
    "Italian": (
        rf"non (?:posso|riesco|sono|ho)\b{_REST}"
        r"\b(?:pagina|url|link|sito|internet|articolo|contenuto)"
    ),
    "Portuguese": (
        rf"(?:eu )?não (?:consigo|posso|consegui|pude|tenho|sou capaz){_REST}"
        r"\b(?:página|url|link|site|internet|artigo|conteúdo|navegar)"
    ),
    "Dutch": (
        rf"(?:ik kan|kan ik|ik kon|kon ik){_REST}"
        rf"\b(?:pagina|url|link|website|site|internet|artikel){_REST}\bniet\b"
    ),
    "Polish": (
        rf"nie (?:mogę|mogłem|mogłam|mam|jestem w stanie){_REST}"
        r"(?:stron|url|link|internet|artykuł|adres)"
    ),
    "Russian": (
        rf"(?:я )?(?:у меня нет|не (?:могу|смог|смогла|имею|удалось)){_REST}"
        r"(?:страниц|ссылк|сайт|интернет|url|стать)"
    ),
    "Turkish": (
        rf"[^.!?\n]{{0,40}}\b(?:sayfa|bağlantı|url|site|internet){_REST}"
        r"(?:erişem|açam|görüntüleyem|ulaşam)\w*"
    ),
    "Chinese": (
        r"我?(?:目前|暂时|现在)?(?:无法|不能|没有办法|没办法|没有能力)[^。！？\n]{0,30}"
        r"(?:访问|打开|浏览|读取|获取|查看)[^。！？\n]{0,40}"
        r"(?:页|链接|网址|网站|网络|互联网|内容|url)"
    ),
    "Japanese": (
        r"[^。！？\n]{0,60}(?:ページ|url|リンク|サイト|インターネット)[^。！？\n]{0,30}"
        r"(?:アクセス|開く|開け|閲覧|読み込|取得)[^。！？\n]{0,12}(?:できません|ません|できない)"
    ),
    "Korean": (r"[^.!?\n]{0,60}(?:페이지|url|링크|사이트|인터넷)[^.!?\n]{0,30}(?:수 없|못했|못합)"),
    "Arabic": (rf"لا (?:أستطيع|يمكنني|أملك){_REST}(?:الصفحة|الرابط|الموقع|الإنترنت|صفحة|رابط)"),
}
_REFUSAL = re.compile("|".join(f"(?:{saying})" for saying in _SAYINGS.values()), re.IGNORECASE)


def is_refusal(text: str) -> bool:
    r"""Tell whether a model says that it could not read the page, instead of the page.

    >>> is_refusal("I'm sorry, but I cannot access that page.")
    True
    >>> is_refusal("# Tides\n\nThe sea rises twice a day.")
    False
    """
    if len(text) > _MAX_REFUSAL_CHARS:
        return False
    # A dot in an address ends no sentence.
    opening = _ADDRESS.sub("the url", text[:_OPENING])
    lead = _LEAD.match(opening)
    start = 0 if lead is None else lead.end()
    return _REFUSAL.match(opening, start) is not None or _REFUSAL.match(opening) is not None
