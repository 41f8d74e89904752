// ListedSuffixes: the rules of a list that was read from a text, by name.

struct ListedSuffixes: Sendable {
    /// Of each name: 1 a suffix, 2 every name right below is one, 4 an exception; 8, 16, 32 the same of the private section.
    private(set) var flags: [String: UInt8] = [:]
    private(set) var date: String?

    /// nil if there is no rule, or a line that is none.
    init?(_ text: String) {
        var shift: UInt8 = 0
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            // A rule ends with the first white space.
            let rule = line.drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 != 0x20 && $0 != 0x09 }
            if rule.isEmpty { continue }
            if rule.starts(with: "//".utf8) {
                let comment = Substring(line)
                if comment.contains("===BEGIN PRIVATE DOMAINS===") { shift = 3 }
                if comment.contains("===BEGIN ICANN DOMAINS===") { shift = 0 }
                if date == nil, comment.hasPrefix("// VERSION: ") { date = Self.day(comment.dropFirst(12)) }
                continue
            }
            var name = Substring(rule)
            var flag: UInt8 = 1
            if name.hasPrefix("!") {
                (name, flag) = (name.dropFirst(), 4)
            } else if name.hasPrefix("*.") {
                (name, flag) = (name.dropFirst(2), 2)
            } else if name == "*" {
                // The rule for names that have none.
                continue
            }
            guard let name = DomainName.canonical(String(name)), !name.contains("*") else { return nil }
            flags[name, default: 0] |= flag << shift
        }
        guard !flags.isEmpty else { return nil }
    }

    /// `2026-01-31` of `2026-01-31_12-00-00_UTC`.
    private static func day(_ version: Substring) -> String? {
        let day = version.utf8.prefix(10)
        let isDay = day.enumerated().allSatisfy { index, byte in
            index == 4 || index == 7 ? byte == UInt8(ascii: "-") : byte.digitValue != nil
        }
        return day.count == 10 && isDay ? String(Substring(day)) : nil
    }

    /// Calls `body` with the flags of each rule for `name` or for a domain above it, and with the place in `name` where
    /// the rule's name begins.
    func forEachRule(of name: UnsafeBufferPointer<UInt8>, _ body: (_ start: Int, _ flags: UInt8) -> Void) {
        var start = name.count + 1
        while start > 0 {
            start = PublicSuffixList.labelStart(before: start, in: name)
            if let flags = flags[String(decoding: name[start...], as: UTF8.self)] { body(start, flags) }
        }
    }
}
