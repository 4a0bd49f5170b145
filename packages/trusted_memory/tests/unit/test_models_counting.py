# ruff: noqa: RUF001 - letters of many scripts, which look alike, are the point here
"""Token counting: never low in any script, and scaled up, never down, by what servers report."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    UsageMetadata,
    trim_messages,
)
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.tools import tool

from trusted_memory.models.counting import Calibration, count_text, count_tokens

# Text, and the most tokens that any of the tokenizers of Llama 3, Llama 4, Qwen, Mistral (tekken) and DeepSeek takes.
MEASURED = [
    ("Please deliver my parcels in the evening, I am allergic to peanuts and my shoe size is 42.", 25),
    ("Bitte liefern Sie meine Pakete abends, ich bin gegen Erdnüsse allergisch und habe Schuhgröße 42.", 30),
    ("Livrez mes colis le soir, s'il vous plaît, je suis allergique aux arachides et je chausse du 42.", 32),
    ("Toimittakaa pakettini iltaisin, olen allerginen maapähkinöille ja kengännumeroni on 42.", 34),
    ("Proszę dostarczać moje paczki wieczorem, mam alergię na orzeszki ziemne i noszę buty w rozmiarze 42.", 41),
    ("Lütfen paketlerimi akşam teslim edin, yer fıstığına alerjim var ve ayakkabı numaram 42.", 37),
    ("Vui lòng giao hàng cho tôi vào buổi tối, tôi bị dị ứng với đậu phộng và đi giày cỡ 42.", 39),
    ("Παρακαλώ παραδώστε τα δέματά μου το βράδυ, είμαι αλλεργικός στα φιστίκια και φοράω νούμερο 42.", 78),
    ("Пожалуйста, доставляйте мои посылки вечером, у меня аллергия на арахис, а размер обуви 42.", 39),
    ("אנא מסרו את החבילות שלי בערב, אני אלרגי לבוטנים ומידת הנעליים שלי היא 42.", 63),
    ("يرجى تسليم طرودي في المساء، لدي حساسية من الفول السوداني ومقاس حذائي 42.", 32),
    ("कृपया मेरे पार्सल शाम को पहुँचाएँ, मुझे मूंगफली से एलर्जी है और मेरे जूते का नाप 42 है।", 83),
    ("தயவுசெய்து என் பொதிகளை மாலையில் வழங்கவும், எனக்கு வேர்க்கடலை ஒவ்வாமை உள்ளது.", 108),
    ("Խնդրում եմ առաքել իմ ծանրոցները երեկոյան, ես ալերգիա ունեմ գետնանուշից։", 120),
    ("გთხოვთ, ამანათები საღამოს მომიტანოთ, მიწისთხილზე ალერგია მაქვს.", 117),
    ("សូមដឹកជញ្ជូនកញ្ចប់របស់ខ្ញុំនៅពេលល្ងាច ខ្ញុំមានអាលែហ្ស៊ីនឹងសណ្តែកដី។", 197),
    ("กรุณาส่งพัสดุของฉันในตอนเย็น ฉันแพ้ถั่วลิสงและใส่รองเท้าเบอร์ 42", 41),
    ("请在晚上送我的包裹，我对花生过敏，我的鞋码是42码。", 26),
    ("荷物は夕方に届けてください。ピーナッツアレルギーがあり、靴のサイズは42です。", 30),
    ("제 택배는 저녁에 배달해 주세요. 저는 땅콩 알레르기가 있고 신발 사이즈는 42입니다.", 36),
    ("🥜🚫👟 42 📦🌙 👨\u200d👩\u200d👧\u200d👦🏳️\u200d🌈🧑🏿\u200d🚀", 65),
    ('{"order_id": "A-10442", "ordered_on": "2026-11-02", "item": "Boots, brown", "price": "129.90", "x": null}', 55),
    ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 59),
    ("bm8gcGVhbnV0cyBwbGVhc2UsIGFuZCBkZWxpdmVyIGluIHRoZSBldmVuaW5nIQ==", 46),
    ("PLEASE DELIVER MY PARCELS IN THE EVENING, I AM ALLERGIC TO PEANUTS AND MY SHOE SIZE IS 42.", 35),
    ("def window(value: str) -> str | None:\n    if value in PARTS:\n        return value\n    return None\n", 26),
    ("\U000dffff\U0001f9ff\ue000\ufffd", 12),
]


@tool
def search_orders(query: str) -> str:
    """Find orders of the customer whose number, item or status contains the text."""
    return query


@pytest.mark.parametrize(("text", "tokens"), MEASURED)
def test_not_low(text: str, tokens: int) -> None:
    """The estimate is at least what the hungriest real tokenizer takes, in every script, and not wildly more."""
    assert tokens <= count_text(text) <= 2.5 * tokens


def test_english_is_not_wasted() -> None:
    """English costs at most a third more than it really does: a budget is not half empty."""
    text = " ".join(text for text, _ in MEASURED[:1] * 20)
    assert count_text(text) <= 1.34 * 25 * 20


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    """Any text, unassigned characters and lone surrogates included, has a count; only blanks are free."""
    assert count_text(text) > 0 or not text.strip()
    assert count_text(text + "\ud800") > 0


@given(st.text(alphabet=st.characters(min_codepoint=0x10000), min_size=1, max_size=50))
def test_bytes_bound(text: str) -> None:
    """Characters of scripts that are not measured cost their bytes, the most a byte-level tokenizer can take."""
    assert count_text(text) >= len(text.encode("utf-8"))


def test_a_megabyte_is_counted_quickly() -> None:
    """Counting is linear: a megabyte of anything takes well under a second."""
    for text in ("evening please ", "a", "请", "🥜", "\n", "A1-", "1 "):
        assert count_text(text * (1_000_000 // len(text.encode()))) > 0


def test_whole_request() -> None:
    """Roles, tool calls, results, other blocks and tool schemas all cost something; pictures a flat rate."""
    call = AIMessage("", tool_calls=[{"name": "search_orders", "args": {"query": "boots"}, "id": "c1"}])
    messages: list[BaseMessage] = [
        SystemMessage("Be brief."),
        HumanMessage("My orders?"),
        call,
        ToolMessage('{"found": 2}', tool_call_id="c1"),
    ]
    total = count_tokens(messages)
    assert all(count_tokens(messages[:n]) < count_tokens(messages[: n + 1]) for n in range(4))
    assert total > count_tokens_approximately([*messages[:2], AIMessage(""), messages[3]])
    assert count_tokens(messages, [search_orders]) > total + count_text(json.dumps("Find orders of the customer whose"))
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 100_000}}
    assert 2_000 <= count_tokens([HumanMessage([{"type": "text", "text": "look"}, picture])]) < 2_100
    assert count_tokens([HumanMessage([{"type": "video", "frames": "abc " * 50}])]) > 50


def test_fits_as_a_token_counter() -> None:
    """It is what langmem and trim_messages take as a counter."""
    long: list[BaseMessage] = [HumanMessage("first " * 50), AIMessage("second"), HumanMessage("third")]
    assert trim_messages(long, max_tokens=40, token_counter=count_tokens, strategy="last") == long[1:]


def usage(tokens: int) -> UsageMetadata:
    return UsageMetadata(input_tokens=tokens, output_tokens=1, total_tokens=tokens + 1)


def test_calibration_only_goes_up() -> None:
    """A report above the estimate raises the next ones for good; one below changes nothing."""
    calibration = Calibration()
    calibration.learn(1000, usage(700))
    assert calibration.apply(1000) == 1000
    calibration.learn(1000, usage(1200))
    raised = calibration.apply(1000)
    assert 1200 <= raised <= 1300
    calibration.learn(1000, usage(600))
    assert calibration.apply(1000) == raised


def test_calibration_is_bounded() -> None:
    """No usage, tiny requests and absurd reports can't make it blow up."""
    calibration = Calibration()
    calibration.learn(1000, None)
    calibration.learn(10, usage(500))
    assert calibration.apply(1000) == 1000
    calibration.learn(1000, usage(10**9))
    assert calibration.apply(1000) == 2000


@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 10**7))))
def test_calibration_never_lowers(reports: list[tuple[int, int]]) -> None:
    """Whatever is reported, an estimate is never scaled below itself nor beyond twice."""
    calibration = Calibration()
    for estimated, reported in reports:
        calibration.learn(estimated, usage(reported))
        assert 1000 <= calibration.apply(1000) <= 2000
