// HiddenSecrets: a line of a file of requests as errors show it.

import TsubameCore

/// Hides secrets that stand in a line as they are: the userinfo of a URL, the values of secret parameters and members, and
/// the credentials of a field. Each character becomes a star, so that places in the line stay the same. Expressions stay,
/// because they only name a variable.
enum HiddenSecrets {
    private static let fields: Set<String> = ["authorization", "proxy-authorization", "cookie", "x-api-key", "api-key"]

    static func line(_ text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        for range in userinfos(scalars) + values(scalars) + credentials(scalars) { hide(range, in: &scalars) }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars)
        return String(result)
    }

    private static func hide(_ range: Range<Int>, in scalars: inout [Unicode.Scalar]) {
        var depth = 0
        for index in range {
            let scalar = scalars[index]
            if scalar == "{" { depth += 1 }
            if depth < 2, scalar != "{", scalar != "}", scalar != " " { scalars[index] = "*" }
            if scalar == "}" { depth = max(0, depth - 1) }
        }
    }

    /// The text between `://` and the last `@` of an authority.
    private static func userinfos(_ scalars: [Unicode.Scalar]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = 0
        while index + 3 <= scalars.count {
            guard scalars[index] == ":", scalars[index + 1] == "/", scalars[index + 2] == "/" else {
                index += 1
                continue
            }
            let start = index + 3
            let end = scalars[start...].firstIndex { "/?# \t\"'".unicodeScalars.contains($0) } ?? scalars.count
            if let at = scalars[start..<end].lastIndex(of: "@") { found.append(start..<at) }
            index = end
        }
        return found
    }

    /// The values behind `name=` and `"name":`, where the name is one of a secret.
    private static func values(_ scalars: [Unicode.Scalar]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        for (index, scalar) in scalars.enumerated() where !isName(scalar) {
            defer { start = index + 1 }
            guard start < index, index >= (found.last?.upperBound ?? 0) else { continue }
            if scalar == "=", isSecret(scalars[start..<index]) {
                let end = scalars[(index + 1)...].firstIndex { "&# \t\"'".unicodeScalars.contains($0) }
                found.append(index + 1..<(end ?? scalars.count))
            } else if scalar == "\"", isSecret(scalars[start..<index]) {
                let rest = scalars[(index + 1)...].drop { " :\t".unicodeScalars.contains($0) }
                guard rest.startIndex > index + 1, rest.first == "\"" else { continue }
                let value = rest.dropFirst()
                found.append(value.startIndex..<(value.firstIndex(of: "\"") ?? scalars.count))
            }
        }
        return found
    }

    /// The rest of a line that begins with the name of a field for credentials. Its colon may be what is missing.
    private static func credentials(_ scalars: [Unicode.Scalar]) -> [Range<Int>] {
        let name = scalars.drop { $0 == " " || $0 == "\t" }.prefix(while: isName)
        guard fields.contains(text(name).lowercased()) else { return [] }
        return [name.endIndex..<scalars.count]
    }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }

    private static func isSecret(_ name: ArraySlice<Unicode.Scalar>) -> Bool {
        Redaction.standard.isSecret(text(name))
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
