// MultipartParser: the parser for the parts of a multipart body (RFC 2046 section 5.1).

package import HTTPTypes
package import TsubameCore

package enum MultipartParser {
    package struct Part: Sendable {
        package let headers: HTTPFields
        package let body: Bytes
    }

    /// A body that consists of delimiters alone would otherwise give millions of parts.
    private static let maximumParts = 10_000
    private static let maximumHead = 16 << 10
    private static let maximumFields = 100

    /// Splits a body into its parts.
    /// - Parameter boundary: the boundary of the Content-Type, without the dashes before it.
    /// - Throws: ``WireError`` if the body has no delimiter, does not end with one, has a malformed part, or exceeds
    ///   a limit.
    package static func parts(of body: Bytes, boundary: String) throws(WireError) -> [Part] {
        // The limits of RFC 2046 section 5.1.1.
        guard (1...70).contains(boundary.utf8.count) else {
            throw invalid("has a boundary that is empty or has more than 70 bytes")
        }
        let delimiter = Array("--\(boundary)".utf8)
        let bytes = body.withUnsafeBytes { Array($0) }
        guard var position = next(delimiter, in: bytes, from: 0)?.end else { throw invalid("has no part") }
        var parts: [Part] = []
        while !isLast(bytes, position) {
            guard parts.count < maximumParts else {
                throw WireError(.limitExceeded, "the multipart body has more than \(maximumParts) parts")
            }
            let start = try lineEnd(bytes, position)
            guard let end = next(delimiter, in: bytes, from: start) else {
                throw WireError(.incompleteResponse, "the multipart body ends within part \(parts.count + 1)")
            }
            parts.append(try part(bytes[start..<Swift.max(end.start, start)], of: body, number: parts.count + 1))
            position = end.end
        }
        return parts
    }

    private static func invalid(_ what: String) -> WireError {
        WireError(.invalidResponse, "the multipart body \(what)")
    }

    /// The next delimiter at the beginning of a line. The line end before the delimiter belongs to it.
    private static func next(
        _ delimiter: [UInt8], in bytes: [UInt8], from start: Int
    ) -> (start: Int, end: Int)? {
        var position = start
        while let found = bytes[position...].firstRange(of: delimiter) {
            let at = found.lowerBound
            if at == start, start == 0 || bytes[at - 1] == 0x0A { return (at, found.upperBound) }
            if at > start, bytes[at - 1] == 0x0A {
                let hasReturn = at - 2 >= start && bytes[at - 2] == 0x0D
                return (at - (hasReturn ? 2 : 1), found.upperBound)
            }
            position = at + 1
        }
        return nil
    }

    private static func isLast(_ bytes: [UInt8], _ position: Int) -> Bool {
        bytes.count - position >= 2 && bytes[position] == 0x2D && bytes[position + 1] == 0x2D
    }

    /// The position after the line of a delimiter, on which only blanks may follow.
    private static func lineEnd(_ bytes: [UInt8], _ position: Int) throws(WireError) -> Int {
        var position = position
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
        if position < bytes.count, bytes[position] == 0x0D { position += 1 }
        guard position < bytes.count, bytes[position] == 0x0A else { throw invalid("has text after a delimiter") }
        return position + 1
    }

    private static func part(
        _ bytes: ArraySlice<UInt8>, of body: Bytes, number: Int
    ) throws(WireError) -> Part {
        var headers = HTTPFields()
        var position = bytes.startIndex
        while true {
            guard position - bytes.startIndex <= maximumHead, headers.count <= maximumFields else {
                throw WireError(.limitExceeded, "the fields of part \(number) are too many or too long")
            }
            // A part may end with its fields, without the empty line.
            if position == bytes.endIndex { break }
            let end = bytes[position...].firstIndex(of: 0x0A)
            var line = bytes[position..<(end ?? bytes.endIndex)]
            position = end.map { $0 + 1 } ?? bytes.endIndex
            if line.last == 0x0D { line = line.dropLast() }
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: 0x3A),
                let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self)),
                line[..<colon].allSatisfy({ ByteScan.isToken($0) })
            else { throw invalid("has a malformed field (part \(number))") }
            let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            guard value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
                throw invalid("has a field with a control character (part \(number))")
            }
            headers.appendSafely(HTTPField(name: name, value: String(decoding: value, as: UTF8.self)))
        }
        return Part(headers: headers, body: body.slice(position..<bytes.endIndex))
    }
}
