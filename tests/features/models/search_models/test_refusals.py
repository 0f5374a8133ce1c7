"""A model that could not read a page says so; what it says is not the page."""

import pytest
from returns.result import Failure

from webseam.adapters.features.models.search.backend import is_model_page_refusal, read_model_page
from webseam.ports import EmptyContent
from webseam.ports.models import NormalizedResponse

REFUSALS = [
    "I cannot access that page.",
    "I'm sorry, but I cannot access that page.",
    "I was unable to open https://a.example/x because I do not have browsing.",
    "I was unable to open the link you provided because I do not have browsing capabilities.",
    "Unfortunately, I can't browse the internet, so I can't read this page.",
    "I don't have the ability to access external websites or browse the internet in real time. If you paste the text here, I can help.",
    "As an AI language model, I cannot open URLs or browse the web directly.",
    "I apologize, but I'm not able to visit websites. Could you copy the text?",
    "Ich kann diese Seite leider nicht öffnen.",
    "Es tut mir leid, aber ich kann die Webseite nicht aufrufen.",
    "Leider habe ich keinen Zugriff auf das Internet.",
    "Je suis désolé, mais je ne peux pas accéder à cette page.",
    "Je n'ai pas accès à Internet, je ne peux donc pas ouvrir ce lien.",
    "Lo siento, pero no puedo acceder a esa página.",
    "No tengo acceso a internet para abrir el enlace.",
    "Mi dispiace, ma non posso accedere a questa pagina.",
    "Desculpe, mas não consigo acessar essa página.",
    "Het spijt me, maar ik kan deze pagina niet openen.",
    "Przepraszam, ale nie mogę otworzyć tej strony.",
    "К сожалению, я не могу открыть эту страницу.",
    "Извините, но у меня нет доступа к интернету.",
    "抱歉，我无法访问该网页。",
    "我无法打开这个链接，因为我没有浏览功能。",
    "申し訳ありませんが、そのページにアクセスできません。",
    "죄송합니다만 해당 페이지에 접근할 수 없습니다.",
    "Maalesef bu sayfaya erişemiyorum.",
    "عذراً، لا أستطيع الوصول إلى هذه الصفحة.",
    "# Unable to access page\n\nI could not load the page at https://a.example/ because the tool returned an error.",
    "I do not have browsing enabled in this session, so the article cannot be read.",
    "I couldn’t retrieve the content of that URL; the site returned a 403.",
    "I am unable to directly open or read web pages.",
    " **I cannot open that page.** I have no browser here.",
    "I'm not able to open https://a.example/page.",
]
PAGES = [
    "# Cannot open a website\n\nSince the update my shop does not load; elsewhere it opens.",
    "# Tides\n\nThe sea rises twice a day. I cannot say why.",
    "I cannot recommend this kettle. It leaks.",
    "Sorry, we are closed on Mondays. Visit our page for the opening hours.",
    "Unfortunately the ferry does not run in winter.",
    "Ich kann das Buch empfehlen.",
    "No puedo vivir sin ti: letra y acordes.",
    "I could not read the page. " + "The letter had lain in the rain for a week. " * 80,
    "",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_to_read_is_a_typed_failure(text: str) -> None:
    response = NormalizedResponse(content=text, finish_reason="stop")

    assert read_model_page(response, "https://a.example/", "m") == Failure(
        EmptyContent(reason="not_read")
    )


def test_a_short_answer_without_the_heading_that_was_asked_for_is_no_page() -> None:
    answers = [
        "Leider kann ich nicht auf die Seite zugreifen.",
        "As an AI model I can't browse the internet, so I can't read https://a.example/.",
        "I'm unable to browse.",
        "The page could not be loaded.",
        "Tyvärr kan jag inte komma åt sidan.\n\nKlistra in texten här, så hjälper jag dig.",
        "क्षमा करें, मैं यह पृष्ठ नहीं खोल सकता।",
        "#a.example is down",
    ]
    for text in answers:
        response = NormalizedResponse(content=text, finish_reason="stop")
        error = read_model_page(response, "https://a.example/", "m").failure()
        assert isinstance(error, EmptyContent), text
        assert error.reason in ("not_read", "no_heading"), text


def test_a_page_has_a_heading_near_its_start_or_is_long() -> None:
    for text in (
        "# Tides\n\nTwice a day.",
        "Here it is:\n\n## Tides",
        "Tides\n=====\n\nTwice a day.",
        "Twice a day the sea rises. " * 100,
    ):
        response = NormalizedResponse(content=text, finish_reason="stop")
        page = read_model_page(response, "https://a.example/", "m").unwrap()
        assert isinstance(page.answer, dict), text
        assert page.answer["content"] == text.strip()


@pytest.mark.parametrize("text", PAGES)
def test_a_page_is_no_refusal_whatever_it_says(text: str) -> None:
    assert not is_model_page_refusal(text)
