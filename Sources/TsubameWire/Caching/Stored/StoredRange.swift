// StoredRange: the part of a complete stored response that a request asks for (RFC 9110 section 14.2).

package enum StoredRange: Sendable, Hashable {
    case whole
    /// The offset of the first byte, up to but not including the offset after the last byte.
    case part(Range<Int64>)
    /// The range lies outside the body; the answer is 416.
    case unsatisfiable
    /// Several ranges, another unit or an unreadable field. The origin must answer.
    case unknown

    /// - Parameters:
    ///   - field: the Range field; nil if there is none.
    ///   - ifRange: the If-Range field; nil if there is none.
    ///   - length: the length of the stored body in bytes.
    package init(_ field: String?, ifRange: String?, of stored: StoredTerms, length: Int64) {
        guard let field else {
            self = .whole
            return
        }
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, String(parts[0]).lowercasedASCII == "bytes", !parts[1].contains(",") else {
            self = .unknown
            return
        }
        let text = parts[1].filter { $0 != " " && $0 != "\t" }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else {
            self = .unknown
            return
        }
        if let ifRange, !Self.holds(ifRange, stored) {
            self = .whole
            return
        }
        switch (Self.position(ends[0]), Self.position(ends[1])) {
        case (.some(let first), .some(let last)):
            self = first <= last ? Self.part(first, min(last, length - 1), length) : .unknown
        case (.some(let first), nil) where ends[1].isEmpty:
            self = Self.part(first, length - 1, length)
        case (nil, .some(let count)) where ends[0].isEmpty:
            self = count > 0 ? Self.part(max(0, length - count), length - 1, length) : .unsatisfiable
        default: self = .unknown
        }
    }

    private static func part(_ first: Int64, _ last: Int64, _ length: Int64) -> StoredRange {
        first < length && first <= last ? .part(first..<(last + 1)) : .unsatisfiable
    }

    private static func position(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0.digitValue != nil }) else { return nil }
        return Int64(text) ?? .max
    }

    /// Whether the condition of an If-Range field is true. Only a strong validator can match (RFC 9110 section
    /// 13.1.5).
    private static func holds(_ ifRange: String, _ stored: StoredTerms) -> Bool {
        if let tag = EntityTag(ifRange) { return stored.entityTag.map { tag.isStronglyEqual(to: $0) } ?? false }
        guard let date = HTTPDate.parse(ifRange), stored.hasStrongDate else { return false }
        return date == stored.lastModifiedTime
    }
}
