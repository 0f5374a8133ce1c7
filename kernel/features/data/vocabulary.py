"""What the name of a field means: its places in schema.org, its labels, and how it is checked."""

from typing import Final

from webseam.ports.data import FieldRole

# The places in schema.org's vocabulary, the best first; other names are those of properties.
PATHS: Final = {
    "title": "name headline", "name": "name headline", "headline": "headline name",
    "ingredients": "recipeIngredient ingredients", "steps": "recipeInstructions",
    "instructions": "recipeInstructions", "servings": "recipeYield yield",
    "yields": "recipeYield yield", "author": "author", "authors": "author",
    "published": "datePublished", "modified": "dateModified",
    "price": "offers.price offers.priceSpecification.price offers.lowPrice",
    "currency": "offers.priceCurrency offers.priceSpecification.priceCurrency",
    "availability": "offers.availability", "brand": "brand manufacturer",
    "sku": "sku offers.sku productID",
    "gtin": "gtin gtin13 gtin12 gtin14 gtin8 offers.gtin13 offers.gtin", "mpn": "mpn offers.mpn",
    "rating": "aggregateRating.ratingValue",
    "rating_count": "aggregateRating.ratingCount aggregateRating.reviewCount",
    "review_count": "aggregateRating.reviewCount", "calories": "nutrition.calories",
    "cuisine": "recipeCuisine", "category": "recipeCategory category articleSection",
    "language": "inLanguage", "starts": "startDate", "ends": "endDate", "place": "location",
    "venue": "location.name", "address": "location.address address", "company": "hiringOrganization",
    "employer": "hiringOrganization", "salary": "baseSalary.value.value baseSalary.value",
    "posted": "datePosted", "expires": "validThrough", "publisher": "publisher",
    "licence": "license", "rows": "size",
}  # fmt: skip
METAS: Final = {
    "title": "og:title", "name": "og:title", "headline": "og:title",
    "description": "og:description description", "published": "article:published_time",
    "modified": "article:modified_time", "image": "og:image",
    "price": "product:price:amount og:price:amount",
    "currency": "product:price:currency og:price:currency",
    "brand": "product:brand og:brand", "availability": "product:availability og:availability",
}  # fmt: skip
# How a field is checked, by its first place.
ROLES: Final[dict[str, FieldRole]] = {
    "name": "heading", "headline": "heading", "author": "name", "brand": "brand", "manufacturer": "brand",
    "sku": "identifier", "gtin": "identifier", "mpn": "identifier", "productID": "identifier",
    "identifier": "identifier", "offers.price": "price", "price": "price",
}  # fmt: skip
# Beginnings of the words that stand beside a value, in many languages.
LABELS: Final = {
    "servings": "serv yield portion porsj főre person makes pers porc porz porce порц dosi annos pax people 人 분량 adag rendimento feeds couverts raciones comensales ergibt",
    "rating": "rating rated review vote bewert avis stemm star stern /5 out recens beoordel valora ocen avalia ★ note értékel оцен betyg 评 レビュー",
    "rating_count": "rating rated review vote bewert avis stemm recens beoordel opini ocen valora avalia értékel голос отзыв note røst betyg レビュー 评",
    "total_time": "total gesamt ready totaal celk łącz összes общ toplam 所要 總 kokonais insgesamt alt totalt sammanlagt σύνολ συνολ",
    "prep_time": "prep vorbereit voorbereid prép arbeit zubereit aktiv active hands przygot příprav preparaci preparaz elők подгот 準備 hazır valmist",
    "cook_time": "cook koch back bake kook oven cuis cott cocc coz coc koge kok got vař peč piecz főz süt готов piş 調理 keitt tillag grill roast braten garzeit warten",
    "calories": "cal kcal energ brennw ккал калор エネルギー 卡",
    "sku": "sku asin item artikel art articolo article artículo artigo référence ref reference referencia referência bestell código codice code kód kod tuotenumero varenummer varenr артикул код 商品番号 品番 품번 cikkszám katalog",
    "gtin": "gtin ean upc isbn barcode strichcode",
    "mpn": "mpn manufacturer hersteller modell model part modelo modello typ",
    "brand": "brand marke hersteller marque marca merk märke merke mærke značka marka producent fabricant manufacturer výrobce производитель бренд ブランド メーカー 브랜드 品牌 gyártó tuotemerkki",
    "price": "price preis prix precio preço prezzo prijs pris cena цена 価格 가격",
    "published": "publish posted veröffentlicht publié publicado pubblicato gepubliceerd publicerad opublikowano zveřejněno опубликовано",
    "modified": "modified updated aktualisiert mis actualizado aggiornato bijgewerkt uppdaterad zaktualizowano aktualizováno обновлено",
    "author": "author autor auteur autore schrijver författare auteure autora автор",
    "starts": "start begin date when datum date fecha data wann quand beginn début inicio inizio",
    "ends": "end until ende bis fin fine slut",
    "venue": "venue location where ort place lieu lugar luogo locatie plats местоположение",
    "employer": "company employer unternehmen arbeitgeber entreprise empresa azienda bedrijf",
    "posted": "posted published date veröffentlicht publié publicado",
    "expires": "until closing deadline expires bewerbungsfrist valid bis",
    "salary": "salary pay gehalt salaire salario stipendio salaris lön",
}  # fmt: skip
# Names with the labels of another.
LABELS_OF: Final = {
    "yields": "servings", "review_count": "rating_count", "modified": "modified",
    "authors": "author", "start_date": "starts", "end_date": "ends", "location": "venue",
    "company": "employer", "date_posted": "posted", "valid_through": "expires",
    "date_published": "published", "date_modified": "modified", "place": "venue",
}  # fmt: skip
# Words that a label may have beside those of its field.
LABEL_FILLER_NAMES: Final = """
no no. nr nr. n° nº num number nummer numéro número numero numer # id code time zeit tid temps
tiempo tempo tijd czas čas idő время де de du des del der die das la le les el il of the für
pour for per name nom nombre nome naam namn date datum fecha data on am le product produkt
produit producto prodotto product produktu výrobku товара товар
"""
LABEL_FILLERS: Final = frozenset(LABEL_FILLER_NAMES.split())
# The types of schema.org that a Struct's name stands for.
THING_TYPES: Final = {
    "article": "article newsarticle blogposting reportagenewsarticle analysisnewsarticle "
    "opinionnewsarticle liveblogposting scholarlyarticle techarticle backgroundnewsarticle "
    "advertisercontentarticle reviewnewsarticle",
    "product": "product individualproduct productmodel productgroup vehicle book",
    "job": "jobposting",
    "event": "event businessevent childrensevent comedyevent danceevent educationevent festival "
    "exhibitionevent foodevent literaryevent musicevent saleevent screeningevent socialevent "
    "sportsevent theaterevent visualartsevent courseinstance hackathon",
}  # fmt: skip
# Things that stand on pages of every kind; a Struct with a name of the user's own is none of them.
FRAME_TYPE_NAMES: Final = """
website webpage organization newsmediaorganization corporation breadcrumblist listitem person
imageobject videoobject searchaction readaction entrypoint propertyvaluespecification
sitenavigationelement wpheader wpfooter wpsidebar itemlist collectionpage comment
aggregaterating rating review offer aggregateoffer postaladdress contactpoint brand
nutritioninformation howtostep howtosection question answer speakablespecification
"""
FRAME_TYPES: Final = frozenset(FRAME_TYPE_NAMES.split())
# Properties whose values are other things than the subject of the page.
OTHER_SUBJECT_NAMES: Final = """
isRelatedTo isSimilarTo isAccessoryOrSparePartFor isConsumableFor itemListElement review reviews
hasVariant isVariantOf associatedMedia citation isPartOf recommendedItem subjectOf video comment mentions
"""
OTHER_SUBJECTS: Final = frozenset(OTHER_SUBJECT_NAMES.split())
