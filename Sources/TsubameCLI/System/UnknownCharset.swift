// UnknownCharset: the warning for text in an unknown charset.

import Tsubame

enum UnknownCharset {
    /// Warns if the response names an unknown charset. Its text is then read as UTF-8.
    static func tell(of response: Response) {
        guard let type = response.headers[.contentType].flatMap({ MediaType($0) }), let name = type["charset"],
            type.charset == nil
        else { return }
        Diagnostics.say(
            "the charset “\(Redaction.printable(name))” is not known: the text is shown as if it were UTF-8")
    }
}
