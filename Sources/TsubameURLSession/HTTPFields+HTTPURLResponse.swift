// The fields of a response, from the dictionary that URLSession makes of them.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import HTTPTypes

extension HTTPFields {
    /// The content codings that URLSession removes by itself.
    private static let decodedCodings: Set<String> = ["gzip", "x-gzip", "deflate", "br", "zstd"]

    /// Without the fields that describe a coding which URLSession has removed, as if the server had sent no coding.
    init(_ response: HTTPURLResponse) {
        self.init()
        let fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { (name, $0) } }
        }
        // The order of the message is lost.
        for (name, value) in fields.sorted(by: { $0.0 < $1.0 }) {
            guard let name = HTTPField.Name(name) else { continue }
            let values = name == .setCookie ? Self.separatedCookies(value) : [value]
            for value in values { append(HTTPField(name: name, value: value)) }
        }
        let codings = self[.contentEncoding]?.split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        if let codings, !codings.isEmpty, codings.allSatisfy(Self.decodedCodings.contains) {
            self[.contentEncoding] = nil
            self[.contentLength] = nil
        }
    }

    /// The values of several `Set-Cookie` fields that are joined by commas. A comma begins the next cookie if a name and `=`
    /// follow it; the comma of a date, and most of those within a value, have none.
    static func separatedCookies(_ joined: String) -> [String] {
        var cookies: [Substring] = []
        for part in joined.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.prefix { $0 != "=" && $0 != ";" }
            let isCookie =
                name.endIndex < part.endIndex && part[name.endIndex] == "="
                && HTTPField.Name(name.trimmingCharacters(in: .whitespaces)) != nil
            if let last = cookies.last, !isCookie {
                cookies[cookies.count - 1] = joined[last.startIndex..<part.endIndex]
            } else {
                cookies.append(part)
            }
        }
        return cookies.map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
