// ListedSuffixes: the rules of a list that was read from text, by name.

import TsubameCore

struct ListedSuffixes: Sendable {
    /// The flags of each name: 1 is a suffix, 2 makes every name directly below a suffix, and 4 is an exception. The
    /// bits 8, 16 and 32 mean the same for the private section.
    private(set) var flags: [String: UInt8] = [:]
    private(set) var date: String?

    /// nil if the text has no rule, or a line that is not a rule.
    init?(_ text: String) {
        var shift: UInt8 = 0
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            // A rule ends at the first white space.
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
                // The default rule, for names without a rule of their own.
                continue
            }
            guard let name = DomainName.canonical(String(name)), !name.contains("*") else { return nil }
            flags[name, default: 0] |= flag << shift
        }
        guard !flags.isEmpty else { return nil }
    }

    /// `2026-01-31` from `2026-01-31_12-00-00_UTC`.
    private static func day(_ version: Substring) -> String? {
        let day = version.utf8.prefix(10)
        let isDay = day.enumerated().allSatisfy { index, byte in
            index == 4 || index == 7 ? byte == UInt8(ascii: "-") : byte.digitValue != nil
        }
        return day.count == 10 && isDay ? String(Substring(day)) : nil
    }

    /// Calls `body` for each rule of `name` or of a domain above it, with the flags of the rule and the place in `name`
    /// where the rule's name begins.
    func forEachRule(of name: UnsafeBufferPointer<UInt8>, _ body: (_ start: Int, _ flags: UInt8) -> Void) {
        var start = name.count + 1
        while start > 0 {
            start = PublicSuffixList.labelStart(before: start, in: name)
            if let flags = flags[String(decoding: name[start...], as: UTF8.self)] { body(start, flags) }
        }
    }
}
