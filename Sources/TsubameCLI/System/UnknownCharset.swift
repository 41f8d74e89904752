// UnknownCharset: the warning for text in an unknown charset.

import Tsubame

enum UnknownCharset {
    /// The warning if the response names an unknown charset. Its text is then read as UTF-8.
    static func warning(of response: Response) -> String? {
        guard let type = response.headers[.contentType].flatMap({ MediaType($0) }), let name = type["charset"],
            type.charset == nil
        else { return nil }
        return "the charset “\(Redaction.printable(name))” is not known: the text is shown as if it were UTF-8"
    }
}
