// UnknownCoding: the warning for a body in a content coding that is not undone.

import Tsubame

enum UnknownCoding {
    /// Warns if the body has a coding that the tool cannot undo. The bytes are then printed as they were received.
    static func tell(of response: Response) {
        guard ![204, 304].contains(response.statusCode), let codings = response.headers[.contentEncoding] else {
            return
        }
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let names = codings.split(separator: ",").map { $0.drop(while: isBlank).prefix { !isBlank($0) } }
        let unknown = names.filter { name in
            let name = name.lowercased()
            // `x-gzip` is gzip (RFC 9110 section 8.4.1.3).
            return !["", "identity", "x-gzip"].contains(name) && ContentCoding(rawValue: name)?.isAvailable != true
        }
        guard let first = unknown.first else { return }
        Diagnostics.say(
            "the content coding “\(Redaction.printable(String(first)))” is not known: the body is as it was received")
    }
}
