// CookieText: Netscape's `cookies.txt`, as curl, wget and yt-dlp read and write it.

import TsubameCore

/// Each line holds one cookie in seven tab-separated fields: domain, subdomain flag, path, Secure flag, expiry, name
/// and value. The subdomain flag says whether the cookie is sent to hosts below the domain. The expiry is in seconds
/// since 1970, or 0 for a session cookie.
///
/// Lines that start with `#` are comments, except `#HttpOnly_`, which curl puts before the domain of an HttpOnly
/// cookie. The format cannot express SameSite.
package enum CookieText {
    /// More lines than any store holds cookies.
    private static let maximumLines = 10_000

    package static let heading = "# Netscape HTTP Cookie File\n# Written by Tsubame.\n\n"
    /// Begins the comment that names the owner of the cookies. Other programs ignore it.
    static let ownerMark = "# tsubame-owner: "

    /// Whether a line can express the cookie. A tab in its name, value or path would begin another field.
    package static func canHold(_ cookie: Cookie) -> Bool {
        ![cookie.name, cookie.value, cookie.path].contains { $0.utf8.contains(0x09) }
    }

    /// The cookie as a line.
    /// - Returns: nil if no line can express the cookie.
    package static func line(_ cookie: Cookie) -> String? {
        guard canHold(cookie) else { return nil }
        let fields = [
            (cookie.isHTTPOnly ? "#HttpOnly_" : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
            cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
            "\(cookie.expires ?? 0)", cookie.name, cookie.value,
        ]
        return fields.joined(separator: "\t") + "\n"
    }

    /// The cookies of a text with their line numbers, as written. A store decides whether they are valid.
    package struct Contents: Sendable {
        package fileprivate(set) var cookies: [(line: Int, cookie: Cookie)] = []
        package fileprivate(set) var problems: [CookieLineProblem] = []
        /// Whether the first line is the heading of the format.
        package fileprivate(set) var hasHeading = false
        /// The owner that a comment names; nil if there is no such comment.
        package fileprivate(set) var owner: String?
    }

    /// Reads each line as UTF-8, or as ISO-8859-1 if the line is not valid UTF-8.
    package static func read(_ bytes: some BidirectionalCollection<UInt8>) -> Contents {
        var contents = Contents()
        var number = 0
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
        for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            let line = Array(line.last == 0x0D ? line.dropLast() : line)
            let start = Array("#HttpOnly_".utf8)
            let isHTTPOnly = line.starts(with: start)
            if !isHTTPOnly, line.first == UInt8(ascii: "#") {
                let words = String(decoding: line.prefix(80), as: UTF8.self)
                if number == 1, words.contains("HTTP Cookie File") { contents.hasHeading = true }
                if words.hasPrefix(ownerMark) { contents.owner = String(words.dropFirst(ownerMark.count)) }
                continue
            }
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            guard contents.cookies.count < maximumLines, contents.problems.count < maximumLines else {
                let reason = "this line and all lines after it are not read: the file has too many lines"
                contents.problems.append(CookieLineProblem(line: number, reason: reason))
                break
            }
            do throws(Problem) {
                let fields = line.dropFirst(isHTTPOnly ? start.count : 0)
                contents.cookies.append((number, try cookie(fields, isHTTPOnly: isHTTPOnly)))
            } catch {
                contents.problems.append(CookieLineProblem(line: number, reason: error.reason))
            }
        }
        return contents
    }

    private struct Problem: Error {
        let reason: String
    }

    private static func cookie(_ line: ArraySlice<UInt8>, isHTTPOnly: Bool) throws(Problem) -> Cookie {
        let fields = line.split(separator: 0x09, maxSplits: 7, omittingEmptySubsequences: false).map { field in
            field.withUnsafeBytes { ReceivedHead.text($0) }
        }
        // curl reads a line without the last field as a cookie with an empty value.
        guard fields.count >= 6 else {
            throw Problem(reason: "it has \(fields.count) tab-separated fields instead of 7")
        }
        // The format cannot express a tab in a value, and curl rejects such a line.
        guard fields.count <= 7 else { throw Problem(reason: "it has more than 7 tab-separated fields") }
        let isHostOnly = !(try flag(fields[1], "second"))
        return Cookie(
            name: fields[5], value: fields.count > 6 ? fields[6] : "", domain: domain(fields[0]),
            isHostOnly: isHostOnly, path: fields[2].isEmpty ? "/" : fields[2], expires: try time(fields[4]),
            isSecure: try flag(fields[3], "fourth"), isHTTPOnly: isHTTPOnly)
    }

    private static func flag(_ text: String, _ place: String) throws(Problem) -> Bool {
        switch text.lowercasedASCII {
        case "true": return true
        case "false": return false
        default: throw Problem(reason: "its \(place) field is neither TRUE nor FALSE")
        }
    }

    /// The domain without its leading dot and without the port that wget appends.
    private static func domain(_ text: String) -> String {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let hasPort = parts.count == 2 && !parts[1].isEmpty && parts[1].allSatisfy { $0.digitValue != nil }
        let name = Substring(hasPort ? parts[0] : text.utf8[...])
        return String(name.utf8.first == UInt8(ascii: ".") ? name.dropFirst() : name)
    }

    /// Seconds since 1970, possibly with a fraction; nil for a session cookie.
    private static func time(_ text: String) throws(Problem) -> Int64? {
        if text.isEmpty { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.digitValue != nil } }), let whole = parts.first
        else {
            throw Problem(reason: "its fifth field is not a time in seconds")
        }
        let seconds = Int64(Substring(whole)) ?? .max
        return seconds == 0 ? nil : seconds
    }
}
