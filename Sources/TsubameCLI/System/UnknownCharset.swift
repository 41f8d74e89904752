// UnknownCharset: says that a text cannot be shown as it was meant.
#if Tool
import Tsubame

enum UnknownCharset {
    /// Where the response names a charset that nobody knows here, its text is taken for UTF-8.
    static func tell(of response: Response) {
        guard let type = response.headers[.contentType].flatMap({ MediaType($0) }), let name = type["charset"],
            type.charset == nil
        else { return }
        Diagnostics.say(
            "the charset “\(Redaction.printable(name))” is not known: the text is shown as if it were UTF-8")
    }
}

#endif
