// EntityTag: a validator of a representation (RFC 9110 section 8.8.3).

package struct EntityTag: Sendable, Hashable {
    package let isWeak: Bool
    /// The tag with its quotes.
    package let opaque: String

    /// nil if the text is not an entity tag.
    package init?(_ text: String) {
        var bytes = text.utf8[...]
        isWeak = bytes.starts(with: "W/".utf8)
        if isWeak { bytes = bytes.dropFirst(2) }
        let quote = UInt8(ascii: "\"")
        guard bytes.count >= 2, bytes.first == quote, bytes.last == quote,
            bytes.dropFirst().dropLast().allSatisfy({ $0 == 0x21 || $0 > 0x22 && $0 != 0x7F })
        else { return nil }
        opaque = String(Substring(bytes))
    }

    /// Strong comparison (RFC 9110 section 8.8.3.2): the tags are equal and both are strong.
    package func isStronglyEqual(to other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Weak comparison (RFC 9110 section 8.8.3.2): the tags are equal, whether strong or weak.
    package func isWeaklyEqual(to other: EntityTag) -> Bool { opaque == other.opaque }
}
