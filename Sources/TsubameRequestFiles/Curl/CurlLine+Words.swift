// CurlLine+Words: the parts of a curl line as words of this tool.

import TsubameCore
import TsubameWire

extension CurlLine {
    static func hasGlob(_ url: String) -> Bool {
        // Double braces are expressions in files of requests.
        let url = TemplateText(parsing: url).parts.map { if case .text(let text) = $0 { text } else { "" } }.joined()
        guard let open = url.firstIndex(where: { $0 == "{" || $0 == "[" }) else { return false }
        // An IPv6 address has brackets, too.
        return url[open] == "{" || !url[..<open].hasSuffix("/") || !url[open...].contains(":")
    }

    /// `path` or `path:passphrase`, with a backslash before a colon of the path.
    package static func certificate(_ text: String) -> (path: String, passphrase: String?) {
        var (path, rest) = ("", text[...])
        while let character = rest.popFirst(), character != ":" {
            path.append(character == "\\" && rest.first == ":" ? rest.removeFirst() : character)
        }
        return (path, rest.isEmpty ? nil : String(rest))
    }

    /// curl adds the name of an uploaded file to a path that ends with a slash, and to an empty one.
    static func adding(fileName name: TemplateText, to url: String) -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let rest = path.firstRange(of: "://").map { path[$0.upperBound...] } ?? path[...]
        let encoded = name.percentEncoded
        if path.hasSuffix("/") { return path + encoded + url[path.endIndex...] }
        // An expression of a file may hold the path.
        guard !rest.contains("/"), !rest.hasSuffix("}}") else { return url }
        return path + "/" + encoded + url[path.endIndex...]
    }

    static func adding(_ query: [String], to url: String) -> String {
        guard !query.isEmpty else { return url }
        let parts = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let joint = parts[0].contains("?") ? "&" : "?"
        return parts[0] + joint + query.joined(separator: "&") + (parts.count > 1 ? "#\(parts[1])" : "")
    }

    /// `--raw` would take a text that begins with `@` for a file.
    static func raw(_ text: String) throws(ShellLine.Problem) -> String {
        if text.hasPrefix("\\@") { throw ShellLine.Problem("a body that begins with \\@ has to be in a file") }
        return text.hasPrefix("@") ? "\\\(text)" : text
    }

    static func proxy(_ url: String, user: String?) throws(ShellLine.Problem) -> String {
        guard !url.isEmpty else { return "none" }
        guard let user, let scheme = url.firstRange(of: "://") else { return url }
        let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let encoded = parts.map { PercentEncoding.encode(Array($0.utf8)) }.joined(separator: ":")
        return "\(url[..<scheme.upperBound])\(encoded)@\(url[scheme.upperBound...])"
    }

    static func item(_ name: String, _ value: String) throws(ShellLine.Problem) -> String {
        value.isEmpty ? "\(name);" : "\(name):\(try Self.value(value, after: ":"))"
    }

    /// A value as an item holds it. A separator could otherwise begin with the one before it.
    static func value(_ text: String, after separator: Character) throws(ShellLine.Problem) -> String {
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated().dropLast() where byte == UInt8(ascii: "\\") {
            guard ":;=@".utf8.contains(bytes[index + 1]), index == 0 || bytes[index - 1] != byte else { continue }
            throw ShellLine.Problem("a backslash before :, ;, = or @ cannot be sent: “\(text)”")
        }
        return text.first == "=" || text.first == "@" ? "\\\(text)" : text
    }

    /// The name of a part, with a backslash before each separator.
    static func escaped(_ name: String) -> String {
        name.reduce(into: "") { result, character in
            if ":;=@".contains(character) { result.append("\\") }
            result.append(character)
        }
    }
}
