// UnknownCoding: the warning for a body in a content coding that is not undone.

import Tsubame

enum UnknownCoding {
    /// The warning if the body has a coding that the tool cannot undo. The bytes are then printed as they were received.
    static func warning(of response: Response) -> String? {
        guard ![204, 304].contains(response.statusCode), let codings = response.headers[.contentEncoding] else {
            return nil
        }
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let names = codings.split(separator: ",").map { $0.drop(while: isBlank).prefix { !isBlank($0) } }
        let unknown = names.filter { name in
            let name = name.lowercased()
            // `x-gzip` is gzip (RFC 9110 section 8.4.1.3).
            return !["", "identity", "x-gzip"].contains(name) && ContentCoding(rawValue: name)?.isAvailable != true
        }
        return unknown.first.map {
            "the content coding “\(Redaction.printable(String($0)))” is not known: the body is as it was received"
        }
    }
}
