// KeyValueText: pairs such as `key1=value1&key2=value2&END`, with a mark at the end that shows truncation.

package enum KeyValueText {
    /// Reads pairs up to the piece that is `terminator`; text after that piece is ignored.
    ///
    /// White space and control characters may follow the terminator, because some servers add a line end. A name that
    /// merely begins with the terminator is a name. A value may contain `=`, a piece without `=` has an empty value,
    /// and empty pieces are skipped. If `terminator` is empty, none is expected.
    /// - Parameter isPercentEncoded: whether escapes in names and values are decoded; `+` and malformed escapes stay.
    /// - Throws: ``KeyValueTextError`` if the terminator is missing.
    package static func decode(
        _ text: String, terminator: String = "END", isPercentEncoded: Bool = false
    ) throws(KeyValueTextError) -> Parameters {
        func decoded(_ text: Substring.UTF8View) -> String {
            let text = String(Substring(text))
            return isPercentEncoded ? PercentEncoding.decodeLeniently(text) : text
        }
        var elements: [Parameters.Element] = []
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let piece = rest.prefix { $0 != UInt8(ascii: "&") }
            if !terminator.isEmpty, isTerminator(piece, terminator.utf8) { return Parameters(elements: elements) }
            rest = rest[piece.endIndex...].dropFirst()
            if piece.isEmpty { continue }
            let name = piece.prefix { $0 != UInt8(ascii: "=") }
            elements.append(
                Parameters.Element(name: decoded(name), value: decoded(piece[name.endIndex...].dropFirst())))
        }
        if terminator.isEmpty { return Parameters(elements: elements) }
        throw KeyValueTextError.missingTerminator(terminator)
    }

    private static func isTerminator(_ piece: Substring.UTF8View, _ terminator: String.UTF8View) -> Bool {
        guard piece.starts(with: terminator) else { return false }
        guard let next = piece.dropFirst(terminator.count).first else { return true }
        return next <= UInt8(ascii: " ")
    }
}

package enum KeyValueTextError: Error, Hashable, CustomStringConvertible {
    case missingTerminator(String)

    package var description: String {
        switch self {
        case .missingTerminator(let terminator):
            "The text is incomplete: it ends without \(terminator)."
        }
    }
}
