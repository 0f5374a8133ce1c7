"""Words that show the purpose of a short text, in the languages of most pages.

All are in lower case. Phrases are beginnings: "related" stands for "related stories" too. Scripts
without blanks have whole phrases where others have words. A table names its languages in brackets.
"""

import re
from typing import Final

# Labels of a comment's buttons.
_COMMENT_BUTTON_WORDS: Final = (
    "reply like likes dislike report flag upvote downvote quote permalink edit delete répondre "
    "signaler antworten melden zitieren responder denunciar rispondi segnala beantwoorden svara "
    "svar vastaa odpowiedz zgłoś odpovědět ответить пожаловаться відповісти yanıtla απάντηση رد "
    "הגב balas ตอบกลับ 답글 신고 返信 通報 回复 回復 举报 舉報 赞 顶 踩"
)
COMMENT_BUTTON_LABELS: Final = frozenset(_COMMENT_BUTTON_WORDS.split())
# Words of short texts around the content.
_BOILERPLATE_WORDS: Final = """
[en] account advertisement advertising afp all back by cart click comment comments contact cookie
cookies copyright credit download e-mail email facebook filed follow getty home image instagram join
learn load log login menu min minute minutes more news newsletter newsletters next photo photos
posted powered previous price print privacy published read register related reply report reserved
reuters rights sale save search see share sharing show sign skip sponsored stories subscribe
subscribed tag tag: tags tags: terms tweet twitter updated view written ©
[de] abonnieren agb aktualisiert alle anmelden anzeige anzeigen archiv autor datenschutz dpa drucken
einloggen empfehlen folgen foto fotos impressum kategorie kategorien kommentar kommentare
kommentieren kontakt konto lesen mehr melden minuten nachrichten nutzungsbedingungen nächste quelle
registrieren schlagwörter startseite suche suchen teilen themen verfasst veröffentlicht vorherige
warenkorb weiter weitere weiterlesen werbung zurück
[fr] abonner abonnez accueil actualités annonce auteur catégories commentaire commentaires compte
connecter connexion crédit imprimer inscrire lire lue mots-clés panier partager politique précédent
publicité publié recherche rechercher retour signaler suivant suivre tous toutes voir
[es, pt] anterior anuncio buscar carrito categorías comentar comentario comentarios comentários
compartilhar compartir contacto correo cuenta entrar etiquetas imprimir iniciar inicio lectura leer
leia ler mais minutos más noticias notícias privacidad privacidade próximo publicado publicidad
publicidade registrarse seguir siguiente suscríbete todas todos ver volver
[it] abbonati accedi articolo autore avanti categorie cerca commenta commenti condividi contatti
iscriviti leggi minuti notizie precedente pubblicato pubblicità redazione registrati segui stampa
successivo tutte tutti vedi
[nl, nordic] aanmelden abonneer advertentie annons annonse deel dela delen följ følg inloggen jaa
kommentarer kommentit kommenttia lees läs mainos meer mer minuter publicerad publisert reacties
reageer redactie volg volgende vorige zoeken
[slavic] czytaj dalej další diskuse drukuj fot. komentarz komentarze logowanie min. najnowsze
następny opublikowano podziel poprzedni přihlásit reklama sdílet szukaj udostępnij więcej wstecz
zaloguj zdjęcie автор все вход далее далі ещё источник категории комментариев комментарии
комментировать копирование назад новости опубликовано поделиться подписаться подробнее поділитися
поиск просмотров реклама теги усі фото фото: читать
[other] abone ara baca bagikan berita chia daha devamı etiketler foto: fotoğraf giriş haber haberler
iklan kategori komentar oleh paylaş penulis reklam tüm xem yazar yorum yorumlar yorumlar: δείτε
διαβάστε σχόλια φωτογραφία פרסומת שתפו תגובות إعلان اقرأ المزيد تابع تعليق شارك صورة और टिप्पणी फोटो
शेयर ảnh: 공유 광고 구독 기사 기자 댓글 로그인 사진
[cjk] お問い合わせ もっと見る コメント シェア ホーム ログイン 上一页 下一页 举报 会員登録 作者 关注
写真 分享 前へ 回复 图片 广告 广告合作 広告 微信 微博 打印 收藏 更多 来源 查看更多 検索 次へ 注册
点击查看 版权声明 登录 登錄 続きを読む 编辑 联系我们 註冊 評論 评论 赞 转发 返回 関連記事 關注
阅读全文 隐私政策 首頁 首页
"""
BOILERPLATE: Final = frozenset(re.sub(r"\[[a-z, ]+\] ", "", _BOILERPLATE_WORDS).split())
# Words for "ago" after or before a number of hours or days.
AGO_AFTER: Final = (
    r" (?:\w+ )?ago\b| \w+ (?:fa|geleden|sedan|siden|sitten|temu|назад|тому|önce)\b"
    r"| ?(?:分钟前|小时前|天前|分前|時間前|日前|분 전|시간 전|일 전)"
)
AGO_BEFORE: Final = r"\b(?:vor|il y a|hace|prije|há|před)|منذ|قبل|לפני"
# Characters that end a sentence or a quotation, separate its parts, or end a question.
END_CHARS: Final = frozenset(".!?。…\"”'\u2019！？」』）；：؟۔।")
COMMAS: Final = ",，、،"
QUESTION_MARKS: Final = "?？؟"
LABEL_EDGE_CHARS: Final = " .…:|\u00bb\u203a\u2192>"


def split_phrases(table: str) -> tuple[str, ...]:
    """Return the phrases of a table, without the names of its languages."""
    lines = re.sub(r"\[[a-z, ]+\] ", "", table).splitlines()
    return tuple(phrase for line in lines for phrase in line.split("|") if phrase)


# Headings of related articles, newsletters, share buttons, the author, tags: not of the content.
RELATED: Final = split_phrases("""
[en] also in |also on |more in |more to |about author|about the author|advert|also read|also see
around the web|continue reading|discover|don't miss|don\u2019t miss|editor's|editors'|editors\u2019
editor\u2019s|elsewhere|explore|featured|filed under|follow|from across|from around|from our
from the web|further reading|galler|get our|get the|in other news|in pictures|keep reading|latest
more about|more articles|more from|more like|more news|more on|more posts|more stories
most commented|most discussed|most e-mailed|most emailed|most popular|most read|most recent
most shared|most viewed|most watched|must read|must see|must-read|newsletter|next article|next post
next story|next up|other articles|other news|other posts|other stories|popular|prev post
previous article|previous post|previous story|promoted|read also|read more|read next|read this
recent|recommendations|recommended|related|see also|share|sign up|similar|sponsored|subscribe|tags
top news|top picks|top posts|top stories|topics|trending|up next|video|watch|what to read|you could
you may|you might|you'll
[de] teile |abonnier|aktuelle artikel|aktuelle beiträge|anzeige|auch interessant|auch lesenswert
beitrag teilen|beitrags-navigation|beitragsnavigation|beliebt|bleiben sie|das interessiert
das könnte|diesen artikel|diesen beitrag|empfehl|folge|gefällt mir|gesponsert|jetzt abonnieren
jetzt anmelden|lesen sie|lesetipp|letzte artikel|letzte beiträge|lies auch|mehr artikel|mehr aus
mehr news|mehr von|mehr zu|mehr über|meist gelesen|meistgelesen|neueste|nächster|passend|schlagw
teilen|themen|verschlagwortet|verwandte|veröffentlicht in|vorheriger|weitere|zum autor|zum thema
ähnliche|über den autor|über die autor
[fr] plus de |abonnez|article précédent|article suivant|articles conn|articles li|articles pop
articles rec|articles sim|autres articles|catégorie|cela pourrait|dans la même|derniers articles
dernières|inscrivez|j'aime|j\u2019aime|les plus|lire aussi|lire la suite|mots-cl|nos autres|partage
plus d'|plus lus|publicité|publié dans|recommand|restez|sponsoris|suivez|sur le même|voir aussi
vous aimerez|vous pourriez|à découvrir|à lire|à propos de l'auteur|à propos de l\u2019auteur|à voir
étiquet
[es] más |acerca del autor|artículo anterior|artículo siguiente|artículos rec|artículos rel|categorí
comparte|compartid|compartir|compárt|destacad|entrada anterior|entrada siguiente|entradas rec
entradas rel|etiquetad|etiquetas|lee además|lee también|leer también|lo más|me gusta|no te pierdas
notas rel|noticias rel|patrocin|publicado en|publicidad|recomend|relacionad|sobre el autor|suscríb
síguen|también te|te podría|te puede|te recomend|ver también
[pt] leia |veja |artigo anterior|artigos rel|assine|categorias|compartilh|curtir|inscreva|mais lid
mais not|notícias rel|não perca|partilh|post anterior|postagens|posts rel|próximo artigo
próximo post|publicado em|saiba|siga|sobre o autor|talvez|você pode|você também|últim
[it] abbonati|altre noti|altri articoli|articoli|articolo preced|articolo succ|categorie|condivid
consigliat|correlat|da leggere|i più|iscriviti|leggi|mi piace|più letti|potrebbe|pubblicato in
pubblicità|scopri|segui|sponsorizzat|sull'autore|ti potrebbe|ultime|ultimi|vedi anche
[nl] deel |meer |volg |aanbevolen|abonneer|bekijk ook|delen|dit vind|geplaatst in|gerelateerd
gesponsord|laatste|lees meer|lees ook|lees verder|meest|misschien|over de auteur|populair
schrijf je in|vind ik leuk|volgend|vorig
[nordic] dela |jaa |abonner|aiheet|anbefal|annons|edellinen|forrige|följ|föregående|følg|les også
lue lisää|lue myös|luetuimmat|läs mer|läs också|læs også|mainos|mest lest|mest lästa|mest læste
neste artikkel|neste innlegg|nästa|prenumerera|rekommender|relatera|relatere|relatert|senaste
seneste|seuraa|siste nyheter|siste nytt|siste saker|suositel|tilaa|uusimmat
[pl] czytaj|lubię to|może cię|najnowsze|najpopularn|następny|o autorze|obserwuj|podobne|podziel
polecan|poprzedni|powiązane|przeczytaj|sprawdź|tagi|udostępnij|warto|więcej|zapisz|zobacz
[cs, sk] další|doporučujeme|mohlo by|najnovšie|najčítanejšie|nejnovější|nejčtenější|následující
odporúčame|podobné|prečítajte|předchozí|přečtěte|sdílet|sledujte|související|súvisiace|zdieľa|čtěte
čítajte|ďalšie|štítky
[hu, ro] ajánl|articole|cele mai|citeşte|citește|címk|distribuie|előző|etichete|hasonló|hirdetés
kapcsolódó|következő|legfrissebb|legolvasott|megoszt|olvass|publicitate|recomand|további|urmăre
[ru, uk] еще |ещё |вам может|вас может|другие|за темою|материалы|метки|мітки|наступн|новости
нравится|об авторе|останні|по теме|поделит|подписы|подпиш|поділит|попередн|популярн|последние
похожие|предыдущ|підпис|реклама|рекоменд|рубрик|самое|следующ|смотрите|схожі|также|також|теги|читай
читать
[el] ακολουθ|δείτε|δημοφιλ|διαβάστε|διαφήμιση|επόμεν|ετικέτες|κοινοπ|περισσότερα|προηγ|προτείνουμε
σχετικ|τελευταία
[tr] abone|ayrıca|benzer|bunlar|daha fazla|devamını|diğer|en çok|etiket|ilgili|i\u0307lgili|paylaş
popüler|reklam|son haber|sonraki|takip|önceki|öneri
[ar, fa] آخر ال|أخبار ذات|إعلان|اشتراک|اشترك|اقرأ|اقرا|الأكثر|التالي|السابق|الكلمات|المزيد|الوسوم
برچسب|بیشتر بخوانید|تابع|ذات صلة|شارك|قد يعجب|مرتبط|مطالب|مقالات|مواضيع|پربازدید
[he] עוד |אולי יעניין|הנקר|הרשמ|כתבות|מומלצ|פרסומת|קרא|קשור|שיתוף|שתפ|תגיות
[hi] और पढ़ें|टैग|ताज़ा|ताजा|यह भी|ये भी|लोकप्रिय|विज्ञापन|शेयर|संबंधित
[id, ms] artikel|baca juga|baca selengkapnya|bagikan|berita lain|berita ter|iklan|ikuti|kategori
langganan|lihat juga|rekomendasi|sebelumnya|selanjutnya|terbaru|terkait|terpopuler
[vi] bài viết|chia sẻ|có thể bạn|liên quan|mới nhất|quảng cáo|theo dõi|tin khác|tin liên|tin mới
từ khóa|xem thêm|đọc nhiều|đọc thêm
[th] ข่าวที่เกี่ยวข้อง|ติดตาม|บทความ|ยอดนิยม|ล่าสุด|อ่านต่อ|อ่านเพิ่ม|เรื่องที่เกี่ยวข้อง|แชร์|แท็ก|แนะนำ
[ko] 공유|관련|광고|구독|다른 기사|다음 글|댓글 많은|더보기|많이 본|이 기사|이전 글|인기|최신|추천
태그|함께 보면
[ja] あわせて|おすすめ|こちらも|この記事を|オススメ|カテゴリ|シェア|スポンサー|タグ|フォロー
メルマガ|ランキング|人気|前の記事|合わせて|広告|新着|最新|次の記事|注目|関連
[zh] 上一篇|下一篇|专题|为你|为您|今日|作者其他|你可能|关注|关键词|分享|图片推荐|大家都在|小编|广告
廣告|延伸|往期|您可能|扫一扫|扫描|扫码|排行|推荐|推薦|更多|标签|標籤|点击排行|為你|為您|热文|热点
热门|熱門|熱點|猜你|相关|相關|精彩|编辑推荐|视频推荐|跟贴排行|近期|还看了|關注|阅读排行
""")
# Starts of bylines.
BYLINES: Final = split_phrases("""
af |av |by |bởi |di |oleh |par |por |von |posted by|written by|автор|ผู้เขียน|作者|文/|文：|文｜|記者
记者
""")
# Labels of buy buttons.
BUYING: Final = split_phrases("""
acheter|acquista|add to bag|add to basket|add to cart|add to trolley|adicionar ao|aggiungi al
agotado|ajouter au|ausverkauft|añadir al|beli sekarang|buy now|comprar|do koszyka|do košíku
dodaj do koszyka|esgotado|in den warenkorb|in winkelmand|in winkelwagen|jetzt kaufen|kosárba|legg i
lägg i|læg i|mua ngay|out of stock|rupture de stock|select options|sepete ekle|sold out|thêm vào giỏ
în coș|στο καλάθι|в корзину|в кошик|купити|купить|הוסף ל|أضف إلى|カートに入れる|カートに追加
今すぐ買う|加入購物車|加入购物车|立即購買|立即购买|구매하기|장바구니
""")
# Starts of such texts in scripts without blanks.
BOILERPLATE_STARTS: Final = split_phrases("""
阅读 |ข่าว|ที่มา|ภาพ:|อ่านต่อ|แชร์|この記事|もっと|举报|作者：|免责声明|关注|写真:|写真：|出典|分享到
分享至|原标题|发布时间|图片来源|声明：|扫一扫|扫码|提供：|文：|更多|本文来源|来源:|来源：|浏览|点击
版权|続きを|編集部|编辑：|网友|记者：|评论|責任編輯|责任编辑|跟贴|转载请
""")


# Labels of buttons that show the rest of a text.
READ_MORE: Final = frozenset(
    split_phrases("""
continua a leggere|continue lendo|continue reading|czytaj dalej|czytaj więcej|leer más|lees meer
lees verder|leggi tutto|leia mais|les mer|lire la suite|lue lisää|läs mer|læs mere|mehr anzeigen
mehr lesen|read more|saiba mais|see more|seguir leyendo|show more|toon meer|ver mais|ver más
view more|voir plus|více|weiterlesen|číst dále|διαβάστε περισσότερα|читать далее|もっと見る|查看更多
続きを読む|閱讀更多|阅读更多|더보기
""")
)
