// HSTSFile: the text form of the HSTS hosts, in the format of curl's `--hsts` file.

import TsubameCore

package enum HSTSFile {
    /// One line for each host, sorted.
    package static func write(_ entries: HSTSEntries) -> String {
        entries.entries.sorted { $0.key < $1.key }.map { host, entry in
            let date =
                if entry.expires >= unlimited {
                    "unlimited"
                } else {
                    text(CivilTime(secondsSince1970: entry.expires))
                }
            return "\(entry.includesSubdomains ? "." : "")\(host) \"\(date)\"\n"
        }.joined()
    }

    /// Reads a file. Lines that are not entries, such as comments, are skipped, and
    /// so are lines whose host is no host name.
    package static func read(_ text: String) -> HSTSEntries {
        var entries = HSTSEntries()
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(maxSplits: 1, whereSeparator: { $0 == " " || $0 == "\t" })
            guard parts.count == 2, !parts[0].hasPrefix("#") else { continue }
            let date = parts[1].filter { $0 != "\"" }
            let isAbove = parts[0].hasPrefix(".")
            guard let host = DomainName.canonical(String(parts[0].drop { $0 == "." })),
                let expires = date == "unlimited" ? .max : seconds(date)
            else { continue }
            entries.insert(HSTSEntries.Entry(expires: expires, includesSubdomains: isAbove), for: host)
        }
        return entries
    }

    /// The end of the year 9999.
    private static let unlimited: Int64 = 253_402_300_799

    /// `20261122 01:02:03`
    private static func text(_ time: CivilTime) -> String {
        "\(CivilTime.digits(time.year, 4))\(CivilTime.digits(time.month))\(CivilTime.digits(time.day)) \(time.timeOfDay)"
    }

    private static func seconds(_ text: String) -> Int64? {
        let digits = text.utf8.compactMap(\.digitValue)
        guard digits.count == 14, text.utf8.allSatisfy({ $0.digitValue != nil || $0 == 0x20 || $0 == 0x3A }) else {
            return nil
        }
        func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
        return CivilTime(
            year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10),
            minute: number(10..<12), second: number(12..<14)
        )?.secondsSince1970
    }
}
