// DocumentEndpoints: /html, /xml, /json, /forms/post, /encoding/utf8, /robots.txt and /deny.
#if Server
import HummingbirdCore

/// Titles, names and values that clients look for are the same as httpbin's.
enum DocumentEndpoints {
    private static let html = "text/html; charset=utf-8"

    static let routes = [
        Route("/html", "a page") { _ in try Reply.text(page, type: html) },
        Route("/xml", "a document in XML") { _ in try Reply.text(slides, type: "application/xml") },
        Route("/json", "a document in JSON") { _ in try Reply.json(slideshow) },
        Route("/forms/post", "a page with a form that goes to /post") { _ in try Reply.text(form, type: html) },
        Route("/encoding/utf8", "a page with characters of one to four bytes") { _ in
            try Reply.text(characters, type: html)
        },
        Route("/robots.txt", "the paths that robots must not read") { _ in
            try Reply.text("User-agent: *\nDisallow: /deny\n", type: "text/plain")
        },
        Route("/deny", "a page that robots must not read") { _ in
            try Reply.text("    ,_,\n   (o,o)\n   (   )\n    \" \"\nYOU SHOULDN'T BE HERE\n", type: "text/plain")
        },
    ]

    private static let slideshow: JSON = [
        "slideshow": [
            "title": "Sample Slide Show", "author": "Yours Truly", "date": "date of publication",
            "slides": [
                ["title": "Wake up to WonderWidgets!", "type": "all"],
                [
                    "title": "Overview", "type": "all",
                    "items": ["Why <em>WonderWidgets</em> are great", "Who <em>buys</em> WonderWidgets"],
                ],
            ],
        ]
    ]

    private static let slides = """
        <?xml version="1.0" encoding="UTF-8"?>
        <slideshow title="Sample Slide Show" date="Date of publication" author="Yours Truly">
          <slide type="all">
            <title>Wake up to WonderWidgets!</title>
          </slide>
          <slide type="all">
            <title>Overview</title>
            <item>Why <em>WonderWidgets</em> are great</item>
            <item/>
            <item>Who <em>buys</em> WonderWidgets</item>
          </slide>
        </slideshow>

        """

    private static let page = """
        <!DOCTYPE html>
        <html lang="en">
        <head><title>Moby-Dick</title></head>
        <body>
        <h1>Herman Melville - Moby-Dick</h1>
        <p>
        Call me Ishmael. Some years ago&#8212;never mind how long precisely&#8212;having little or no money in my
        purse, and nothing particular to interest me on shore, I thought I would sail about a little and see the
        watery part of the world. It is a way I have of driving off the spleen and regulating the circulation.
        </p>
        </body>
        </html>

        """

    private static let form = """
        <!DOCTYPE html>
        <html lang="en">
        <title>Order a pizza</title>
        <form method="post" action="/post">
        <p><label>Your name <input name="custname"></label></p>
        <p><label>Telephone <input name="custtel" type="tel"></label></p>
        <p><label>E-mail <input name="custemail" type="email"></label></p>
        <fieldset><legend>Size</legend>
        <label><input name="size" type="radio" value="small"> small</label>
        <label><input name="size" type="radio" value="medium"> medium</label>
        <label><input name="size" type="radio" value="large"> large</label>
        </fieldset>
        <fieldset><legend>Toppings</legend>
        <label><input name="topping" type="checkbox" value="bacon"> bacon</label>
        <label><input name="topping" type="checkbox" value="cheese"> more cheese</label>
        <label><input name="topping" type="checkbox" value="onion"> onion</label>
        <label><input name="topping" type="checkbox" value="mushroom"> mushroom</label>
        </fieldset>
        <p><label>Deliver at <input name="delivery" type="time" min="11:00" max="21:00" step="900"></label></p>
        <p><label>Anything else <textarea name="comments"></textarea></label></p>
        <p><button>Order</button></p>
        </form>
        </html>

        """

    private static let characters = """
        <!DOCTYPE html>
        <html>
        <title>Unicode Demo</title>
        <h1>Unicode Demo</h1>
        <pre>
        ASCII        The swallow flies south. 0123456789 {|}~
        Latin        Schwalbe · golondrina · hirondelle · svála · jaskółka · vlaštovka · fecske · kırlangıç
        Combining    e\u{301} = é, n\u{303} = ñ, a\u{30A} = å, o\u{328}\u{304} = ǭ
        Greek        χελιδόνι, ταξίδι στον ήλιο
        Cyrillic     ласточка, ластівка, лястовица
        Hebrew       סנונית
        Arabic       سنونو
        Devanagari   अबाबील
        Thai         นกนางแอ่น
        Georgian     მერცხალი
        Kana         つばめ・ツバメ・ﾂﾊﾞﾒ
        Han          燕子，家燕，𪁎
        Hangul       제비
        Signs        ∀x∈ℝ: ⌈x⌉ = −⌊−x⌋ · 2H₂ + O₂ ⇌ 2H₂O · €£¥ · “quoted” ‘so’ „oder so“ …
        Boxes        ┌──┬──┐ ╔══╦══╗ ▁▂▃▄▅▆▇█
        Emoji        🐦 👩🏽‍🚀 🏳️‍🌈 🇯🇵
        </pre>
        </html>

        """
}

#endif
