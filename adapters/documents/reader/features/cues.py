"""Words that show the purpose of a short text, in the languages of most pages.

All are in lower case. Phrases are beginnings: "related" stands for "related stories" too. Scripts
without blanks have whole phrases where others have words.
"""

from typing import Final

# Headings of related articles, newsletters, share buttons, the author, tags: not of the content.
RELATED: Final = {
    "en": (
        "related|more from|more on|more in |more stories|more news|more articles|more posts|"
        "more about|more like|more to |read more|read next|read also|read this|see also|you may|"
        "you might|you could|you'll|recommended|recommendations|also on |also read|also see|"
        "also in |popular|most read|most popular|most viewed|most shared|most recent|most watched|"
        "most commented|most emailed|most e-mailed|most discussed|trending|"
        "latest|recent|up next|next up|don't miss|don\u2019t miss|editor's|editors'|editor\u2019s|"
        "editors\u2019|further reading|similar|top stories|top news|top posts|top picks|"
        "what to read|sponsored|promoted|advert|around the web|from the web|from our|from around|"
        "from across|elsewhere|in other news|other news|other stories|other articles|other posts|"
        "next article|next story|next post|previous article|previous story|previous post|"
        "prev post|keep reading|continue reading|featured|must read|must-read|must see|watch|"
        "video|in pictures|galler|share|follow|newsletter|sign up|subscribe|get the|get our|"
        "about the author|about author|tags|topics|categories|filed under|explore|discover"
    ),
    "de": (
        "mehr zum|mehr von|mehr aus|mehr zu|mehr artikel|mehr über|mehr news|lesen sie|lies auch|"
        "lesetipp|das könnte|das interessiert|auch interessant|auch lesenswert|ähnliche|weitere|"
        "verwandte|passend|zum thema|meistgelesen|meist gelesen|neueste|empfehl|beliebt|"
        "aktuelle beiträge|aktuelle artikel|letzte beiträge|letzte artikel|vorheriger|voriger|"
        "nächster|anzeige|gesponsert|teilen|teile |artikel teilen|beitrag teilen|diesen artikel|"
        "diesen beitrag|gefällt mir|folge|abonnier|jetzt abonnieren|schlagw|schlagworte|kategorie|"
        "themen|über den autor|über die autor|zum autor|veröffentlicht in|verschlagwortet|"
        "beitragsnavigation|beitrags-navigation|newsletter|bleiben sie|jetzt anmelden"
    ),
    "fr": (
        "lire aussi|lire la suite|à lire|à voir|à découvrir|voir aussi|sur le même|dans la même|"
        "articles li|articles sim|articles conn|articles rec|articles pop|les plus|plus lus|"
        "plus de |plus d'|vous aimerez|vous pourriez|cela pourrait|derniers articles|dernières|"
        "article précédent|article suivant|partage|suivez|abonnez|inscrivez|publicité|sponsoris|"
        "mots-cl|étiquet|catégorie|publié dans|à propos de l'auteur|à propos de l\u2019auteur|"
        "recommand|nos autres|autres articles|j'aime|j\u2019aime|restez"
    ),
    "es": (
        "más |lee también|lee además|leer también|ver también|te puede|te podría|te recomend|"
        "también te|relacionad|artículos rel|noticias rel|entradas rel|notas rel|últimas|lo más|"
        "artículos rec|entradas rec|entrada anterior|entrada siguiente|artículo anterior|"
        "artículo siguiente|compartir|comparte|compartid|compárt|síguenos|síguen|suscríb|"
        "etiquetas|etiquetad|categorí|publicado en|sobre el autor|acerca del autor|recomend|"
        "publicidad|patrocin|me gusta|no te pierdas|populares|destacad"
    ),
    "pt": (
        "leia |veja |saiba|mais lid|mais not|últim|relacionad|artigos rel|posts rel|notícias rel|"
        "você pode|você também|talvez|compartilh|partilh|siga|assine|inscreva|etiquetas|"
        "categorias|publicado em|sobre o autor|post anterior|próximo post|artigo anterior|"
        "próximo artigo|publicidade|patrocin|curtir|não perca|postagens"
    ),
    "it": (
        "potrebbe|leggi|articoli|correlat|ultime|ultimi|più letti|i più|altri articoli|altre noti|"
        "ti potrebbe|potrebbero|condivid|segui|iscriviti|abbonati|categorie|pubblicato in|"
        "articolo preced|articolo succ|pubblicità|sponsorizzat|sull'autore|mi piace|consigliat|"
        "da leggere|vedi anche|scopri"
    ),
    "nl": (
        "lees ook|lees meer|lees verder|meer |gerelateerd|meest|bekijk ook|aanbevolen|dit vind|"
        "misschien|vorig|volgend|deel |delen|volg |abonneer|schrijf je in|categorie|geplaatst in|"
        "over de auteur|advertentie|gesponsord|vind ik leuk|populair|laatste|recente"
    ),
    "nordic": (
        "læs også|les også|läs också|läs mer|lue myös|lue lisää|relatera|relatert|relatere|"
        "mest lest|mest lästa|mest læste|luetuimmat|siste nytt|siste nyheter|siste saker|senaste|"
        "seneste|uusimmat|dela |jaa |följ|følg|seuraa|prenumerera|abonner|tilaa|annons|annonse|"
        "mainos|etiketter|kategorier|aiheet|suositel|rekommender|anbefal|föregående|nästa|forrige|"
        "neste artikkel|neste innlegg|edellinen|seuraava"
    ),
    "pl": (
        "czytaj|zobacz|podobne|powiązane|najnowsze|polecan|może cię|przeczytaj|warto|udostępnij|"
        "podziel|poprzedni|następny|kategorie|tagi|reklama|najpopularn|popularne|lubię to|zapisz|"
        "obserwuj|o autorze|więcej|sprawdź"
    ),
    "cs, sk": (
        "související|súvisiace|čtěte|čítajte|další|ďalšie|mohlo by|nejčtenější|najčítanejšie|"
        "doporučujeme|odporúčame|nejnovější|najnovšie|sdílet|zdieľa|reklama|štítky|kategorie|"
        "předchozí|následující|podobné|přečtěte|prečítajte|sledujte"
    ),
    "hu, ro": (
        "kapcsolódó|ajánl|olvass|további|legolvasott|legfrissebb|megoszt|hirdetés|címk|előző|"
        "következő|hasonló|citește|citeşte|articole|recomand|cele mai|distribuie|publicitate|"
        "etichete|similare|urmăre|abonea"
    ),
    "ru, uk": (
        "читайте|читать|похожие|также|по теме|смотрите|новости|последние|популярн|рекоменд|"
        "вам может|вас может|ещё |еще |другие|поделит|подписы|подпиш|реклама|теги|метки|рубрик|"
        "предыдущ|следующ|самое|материалы|об авторе|нравится|читай|схожі|також|за темою|останні|"
        "популярні|поділит|підпис|попередн|наступн|мітки|рекомендуємо"
    ),
    "el": (
        "σχετικ|διαβάστε|δείτε|περισσότερα|τελευταία|δημοφιλ|προτείνουμε|κοινοπ|ακολουθ|διαφήμιση|"
        "ετικέτες|προηγ|επόμεν"
    ),
    "tr": (
        "ilgili|i\u0307lgili|benzer|son haber|en çok|öneri|bunlar|diğer|ayrıca|paylaş|takip|abone|"
        "reklam|etiket|önceki|sonraki|popüler|daha fazla|devamını"
    ),
    "ar, fa": (
        "اقرأ|اقرا|مواضيع|مقالات|قد يعجب|أخبار ذات|ذات صلة|المزيد|الأكثر|شارك|تابع|اشترك|إعلان|"
        "الوسوم|الكلمات|السابق|التالي|آخر ال|بیشتر بخوانید|مطالب|مرتبط|اشتراک|برچسب|پربازدید"
    ),
    "he": "כתבות|קרא|עוד |קשור|מומלצ|שתפ|שיתוף|תגיות|פרסומת|הנקר|אולי יעניין|הרשמ",
    "hi": "संबंधित|यह भी|ये भी|और पढ़ें|ताज़ा|ताजा|लोकप्रिय|शेयर|विज्ञापन|टैग",
    "id, ms": (
        "baca juga|baca selengkapnya|terkait|artikel|berita lain|berita ter|terpopuler|terbaru|"
        "rekomendasi|bagikan|ikuti|langganan|iklan|kategori|sebelumnya|selanjutnya|lihat juga"
    ),
    "vi": (
        "xem thêm|tin liên|liên quan|bài viết|có thể bạn|đọc thêm|đọc nhiều|mới nhất|chia sẻ|"
        "theo dõi|quảng cáo|từ khóa|tin mới|tin khác"
    ),
    "th": "ข่าวที่เกี่ยวข้อง|เรื่องที่เกี่ยวข้อง|บทความ|อ่านเพิ่ม|อ่านต่อ|แนะนำ|แชร์|ล่าสุด|ยอดนิยม|แท็ก|ติดตาม",
    "ko": (
        "관련|추천|인기|최신|많이 본|공유|구독|다른 기사|이전 글|다음 글|태그|광고|함께 보면|"
        "더보기|이 기사|댓글 많은"
    ),
    "ja": (
        "関連|おすすめ|オススメ|人気|最新|ランキング|あわせて|合わせて|こちらも|この記事を|シェア|"
        "フォロー|タグ|カテゴリ|前の記事|次の記事|新着|注目|広告|スポンサー|メルマガ"
    ),
    "zh": (
        "相关|相關|推荐|推薦|热门|熱門|更多|延伸|为您|为你|為您|為你|猜你|你可能|您可能|热点|熱點|"
        "热文|最新|精彩|编辑推荐|今日|阅读排行|点击排行|跟贴排行|排行|分享|分享到|分享至|关注|"
        "關注|扫一扫|扫描|扫码|标签|標籤|关键词|上一篇|下一篇|往期|近期|广告|廣告|小编|作者其他|"
        "大家都在|还看了|专题|图片推荐|视频推荐"
    ),
}
# Headings of comments and comment forms.
COMMENTS: Final = {
    "en": (
        "comment|response|reply|replies|thoughts on|thought on|leave a|join the disc|"
        "join the conv|post a comment|add a comment|add your comment|discussion|conversation|"
        "reader"
    ),
    "romance": (
        "comentario|comentário|commentaire|commenti|comentarii|deja |laisser|laissez|lascia|deixe|"
        "réagi|réaction|un commentaire|responde|respuesta|risposte|opiniones|dejar un"
    ),
    "germanic": (
        "kommentar|reacties|reactie|geef een|schreib|antwort|hinterlass|diskussion|diskutier|"
        "meinung|ein kommentar|skriv en|legg igjen|lämna|kommentoi|ihre meinung"
    ),
    "slavic": (
        "komment|комментар|отзыв|коментар|обсужд|оставить|обговор|komentarz|komentář|komentár|dodaj"
    ),
    "other": (
        "σχόλι|yorum|تعليق|التعليقات|نظر|תגוב|टिप्पणी|komentar|bình luận|ความคิดเห็น|แสดงความ|"
        "hozzászól"
    ),
    "cjk": (
        "コメント|评论|評論|留言|댓글|의견|网友评论|最热评论|最新评论|跟贴|跟帖|发表评论|口コミ|"
        "回复|回應|条评论"
    ),
}
# Labels of a comment's buttons.
_TALK_WORDS: Final = (
    "reply like likes dislike report flag upvote downvote quote permalink edit delete répondre "
    "signaler antworten melden zitieren responder denunciar rispondi segnala beantwoorden svara "
    "svar vastaa odpowiedz zgłoś odpovědět ответить пожаловаться відповісти yanıtla απάντηση رد "
    "הגב balas ตอบกลับ 답글 신고 返信 通報 回复 回復 举报 舉報 赞 顶 踩"
)
TALK: Final = frozenset(_TALK_WORDS.split())
# Starts of bylines.
BYLINES: Final = (
    "by ", "von ", "par ", "por ", "written by", "posted by", "di ", "av ", "af ", "автор", "作者",
    "记者", "記者", "文/", "文：", "文｜", "ผู้เขียน", "bởi ", "oleh ",
)  # fmt: skip
# Labels of buy buttons.
BUYING: Final = (
    "add to cart", "add to bag", "add to basket", "buy now", "add to trolley", "sold out",
    "out of stock", "select options", "in den warenkorb", "jetzt kaufen", "ausverkauft",
    "ajouter au", "acheter", "rupture de stock", "añadir al", "comprar", "agotado", "aggiungi al",
    "acquista", "adicionar ao", "esgotado", "in winkelwagen", "in winkelmand", "do koszyka",
    "dodaj do koszyka", "do košíku", "lägg i", "legg i", "læg i", "kosárba", "în coș", "в корзину",
    "купить", "купити", "в кошик", "sepete ekle", "στο καλάθι", "أضف إلى", "הוסף ל",
    "カートに入れる", "カートに追加", "今すぐ買う", "장바구니", "구매하기", "加入购物车",
    "加入購物車", "立即购买", "立即購買", "beli sekarang", "thêm vào giỏ", "mua ngay",
)  # fmt: skip
# Words of short texts around the content.
BOILERPLATE: Final = {
    "en": (
        "© account advertisement advertising afp all back by cart click comment comments contact "
        "cookie cookies copyright credit download e-mail email facebook filed follow getty home "
        "image instagram join learn load log login menu min minute minutes more news newsletter "
        "newsletters next photo photos posted powered previous price print privacy published read "
        "register related reply report reserved reuters rights sale save search see share sharing "
        "show sign skip sponsored stories subscribe subscribed tag tag: tags tags: terms tweet "
        "twitter updated view written"
    ),
    "de": (
        "abonnieren agb aktualisiert alle anmelden anzeige anzeigen archiv autor datenschutz dpa "
        "drucken einloggen empfehlen folgen foto fotos impressum kategorie kategorien kommentar "
        "kommentare kommentieren kontakt konto lesen mehr melden minuten nachrichten nächste "
        "nutzungsbedingungen quelle registrieren schlagwörter startseite suche suchen teilen "
        "themen veröffentlicht verfasst vorherige warenkorb weiter weitere weiterlesen werbung "
        "zurück"
    ),
    "fr": (
        "abonner abonnez accueil actualités annonce auteur catégories commentaire commentaires "
        "compte connecter connexion contact crédit imprimer inscrire lire lue minutes mots-clés "
        "panier partager photo politique précédent publicité publié recherche rechercher retour "
        "signaler suivant suivre tous toutes voir"
    ),
    "es, pt": (
        "anterior anuncio autor buscar carrito categorías comentar comentario comentarios "
        "comentários compartilhar compartir contacto correo cuenta entrar etiquetas fotos "
        "imprimir iniciar inicio leer lectura leia ler minutos más mais noticias notícias "
        "privacidad privacidade publicado publicidad publicidade próximo registrarse seguir "
        "siguiente suscríbete tags: todos todas ver volver"
    ),
    "it": (
        "abbonati accedi articolo autore avanti categorie cerca commenta commenti condividi "
        "contatti foto home iscriviti leggi minuti notizie precedente pubblicato pubblicità "
        "redazione registrati segui stampa successivo tutti tutte vedi"
    ),
    "nl, nordic": (
        "aanmelden abonneer advertentie alle annons annonse deel delen dela foto følg följ "
        "inloggen jaa kommentarer kommentit kommenttia lees läs mainos meer mer minuten minuter "
        "publicerad publisert reacties reageer redactie volg vorige volgende zoeken"
    ),
    "slavic": (
        "autor czytaj dalej drukuj foto fot. kategorie komentarze komentarz kontakt logowanie "
        "min. najnowsze następny opublikowano podziel poprzedni reklama szukaj udostępnij więcej "
        "wstecz zaloguj zdjęcie sdílet diskuse přihlásit další автор вход все далее ещё источник "
        "категории комментарии комментариев комментировать копирование назад новости опубликовано "
        "поделиться подписаться подробнее поиск просмотров реклама теги фото читать далі усі "
        "фото: поділитися"
    ),
    "other": (
        "abone ara daha devamı etiketler fotoğraf giriş haber haberler kategori paylaş reklam tüm "
        "yazar yorum yorumlar yorumlar: δείτε διαβάστε σχόλια φωτογραφία اقرأ إعلان المزيد تابع "
        "تعليق شارك صورة תגובות שתפו פרסומת और टिप्पणी फोटो शेयर baca bagikan berita foto: iklan "
        "komentar oleh penulis ảnh: chia xem 공유 구독 기사 기자 댓글 로그인 사진 광고"
    ),
    "cjk": (
        "分享 评论 評論 登录 登錄 注册 註冊 首页 首頁 更多 关注 關注 下一页 上一页 返回 打印 收藏 "
        "举报 广告 广告合作 联系我们 版权声明 隐私政策 来源 编辑 作者 图片 查看更多 阅读全文 "
        "点击查看 回复 赞 转发 微博 微信 シェア コメント ログイン ホーム もっと見る 広告 関連記事 "
        "前へ 次へ 写真 検索 会員登録 お問い合わせ 続きを読む"
    ),
}
# Starts of such texts in scripts without blanks.
BOILERPLATE_STARTS: Final = (
    "责任编辑", "責任編輯", "本文来源", "来源：", "来源:", "编辑：", "作者：", "记者：",
    "图片来源", "版权", "声明：", "免责声明", "分享到", "分享至", "转载请", "点击", "扫码",
    "扫一扫", "关注", "更多", "发布时间", "浏览", "阅读 ", "跟贴", "评论", "网友", "举报",
    "原标题", "この記事", "写真：", "写真:", "編集部", "文：", "提供：", "出典", "続きを",
    "もっと", "ข่าว", "แชร์", "ที่มา", "ภาพ:", "อ่านต่อ",
)  # fmt: skip
# Words for "ago" after or before a number of hours or days.
AGO_AFTER: Final = (
    r" (?:\w+ )?ago\b| \w+ (?:fa|geleden|sedan|siden|sitten|temu|назад|тому|önce)\b"
    r"| ?(?:分钟前|小时前|天前|分前|時間前|日前|분 전|시간 전|일 전)"
)
AGO_BEFORE: Final = r"\b(?:vor|il y a|hace|prije|há|před)|منذ|قبل|לפני"
# Characters that end a sentence or a quotation, separate its parts, or end a question.
ENDINGS: Final = frozenset(".!?。…\"”'\u2019！？」』）；：؟۔।")
COMMAS: Final = ",，、،"
QUESTIONS: Final = "?？؟"

LABEL_EDGE_CHARS: Final = " .…:|\u00bb\u203a\u2192>"
# Labels of buttons that show the rest of a text.
READ_MORE: Final = frozenset(
    line.strip()
    for line in """
continua a leggere, continue lendo, continue reading, czytaj dalej, czytaj więcej, leer más, lees
meer, lees verder, leggi tutto, leia mais, les mer, lire la suite, lue lisää, läs mer, læs mere,
mehr anzeigen, mehr lesen, read more, saiba mais, see more, seguir leyendo, show more, toon meer,
ver mais, ver más, view more, voir plus, více, weiterlesen, číst dále, διαβάστε περισσότερα,
читать далее, もっと見る, 查看更多, 続きを読む, 閱讀更多, 阅读更多, 더보기
""".replace("\n", " ").split(",")
)  # fmt: skip
