// HiddenSecrets: a line of a file of requests as errors show it.

import TsubameCore

/// Hides secrets that stand in a line as they are: the userinfo of a URL, and the values of secret parameters, members, fields
/// and options. Each character becomes a star, so that places in the line stay the same.
/// Expressions stay, because they only name a variable.
struct HiddenSecrets {
    private typealias Scalars = ArraySlice<Unicode.Scalar>

    /// The words of a check, which may come after a name of any kind.
    private static let queries: Set = [
        "body", "bytes", "certificate", "cookie", "duration", "header", "jsonpath", "md5", "rawbytes", "redirects",
        "regex",
        "sha256", "status", "url", "variable", "version", "xpath",
    ]
    /// The options of curl that take credentials.
    private static let options: Set = [
        "-u", "-U", "-b", "--user", "--proxy-user", "--oauth2-bearer", "--cookie", "--pass",
    ]

    private var scalars: [Unicode.Scalar]

    static func line(_ text: String) -> String {
        var hidden = HiddenSecrets(scalars: Array(text.unicodeScalars))
        for range in hidden.userinfos + hidden.values + hidden.optionValues { hidden.hide(range) }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: hidden.scalars)
        return String(result)
    }

    private mutating func hide(_ range: Range<Int>) {
        // Up to here, each search for the end of an expression finds one, so the line is searched once.
        let last = range.dropLast().last { scalars[$0] == "}" && scalars[$0 + 1] == "}" } ?? range.lowerBound
        var index = range.lowerBound
        while index < range.upperBound {
            if index + 2 <= last, let end = endOfExpression(at: index) {
                index = end
                continue
            }
            if scalars[index] != " " { scalars[index] = "*" }
            index += 1
        }
    }

    /// The place after `}}`, if an expression begins here.
    private func endOfExpression(at start: Int) -> Int? {
        guard start + 3 < scalars.count, scalars[start] == "{", scalars[start + 1] == "{" else { return nil }
        return (start + 2..<scalars.count - 1).first { scalars[$0] == "}" && scalars[$0 + 1] == "}" }.map { $0 + 2 }
    }

    /// Everything before the last `@` of an authority, if it holds a colon or comes after `://`.
    private var userinfos: [Range<Int>] {
        words.compactMap { word in
            var start = word.lowerBound
            if let scheme = (word.dropLast(2)).first(where: {
                scalars[$0] == ":" && scalars[$0 + 1] == "/" && scalars[$0 + 2] == "/"
            }) {
                start = scheme + 3
            }
            let authority = scalars[start..<word.upperBound].prefix { !"/?#".unicodeScalars.contains($0) }
            guard let at = authority.lastIndex(of: "@"), start > word.lowerBound || authority[..<at].contains(":")
            else {
                return nil
            }
            return start..<at
        }
    }

    /// The texts between blanks and quotes.
    private var words: [Range<Int>] {
        scalars.indices.split { " \t\"'".unicodeScalars.contains(scalars[$0]) }.map { $0.startIndex..<$0.endIndex }
    }

    /// The values after `name=`, `"name":` and `name:`, where the name is one of a secret. The colon of a field may be missing.
    private var values: [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        let first = scalars.firstIndex { $0 != " " && $0 != "\t" } ?? 0
        for index in 0...scalars.count where index == scalars.count || !Self.isName(scalars[index]) {
            defer { start = index + 1 }
            guard start < index, index < scalars.count, index >= found.last?.upperBound ?? 0,
                Redaction.standard.isSecret(text(scalars[start..<index]))
            else { continue }
            switch scalars[index] {
            case "=": found.append(index + 1..<end(of: scalars[(index + 1)...], at: "&# \t\"'"))
            case "\"":
                let rest = scalars[(index + 1)...].drop { " :\t".unicodeScalars.contains($0) }
                guard rest.startIndex > index + 1, rest.first == "\"" else { continue }
                found.append(rest.startIndex + 1..<endOfString(from: rest.startIndex + 1))
            case ":", " ", "\t":
                // In the middle of a line the value ends with the quotes around it.
                let isFirst = start == first
                guard isFirst || scalars[index] == ":" else { continue }
                let rest = scalars[(index + 1)...].drop { $0 == " " || $0 == "\t" }
                if isFirst, Self.queries.contains(text(rest.prefix(while: Self.isName))) { continue }
                found.append(index + 1..<(isFirst ? scalars.count : end(of: scalars[(index + 1)...], at: "\"'")))
            default: continue
            }
        }
        return found
    }

    private var optionValues: [Range<Int>] {
        let words = scalars.indices.split { scalars[$0] == " " || scalars[$0] == "\t" }.map {
            $0.startIndex..<$0.endIndex
        }
        return zip(words, words.dropFirst()).compactMap { Self.options.contains(text(scalars[$0])) ? $1 : nil }
    }

    private func end(of rest: Scalars, at marks: String) -> Int {
        rest.firstIndex { marks.unicodeScalars.contains($0) } ?? scalars.count
    }

    /// The place of the quote that ends a string of JSON.
    private func endOfString(from start: Int) -> Int {
        var index = start
        while index < scalars.count, scalars[index] != "\"" { index += scalars[index] == "\\" ? 2 : 1 }
        return min(index, scalars.count)
    }

    private func text(_ scalars: Scalars) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
}
