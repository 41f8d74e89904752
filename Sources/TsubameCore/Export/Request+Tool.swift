// Request+Tool: a request as a command line of the tool tsubame.

import HTTPTypes

extension Request {
    /// The request as a command line for the tool `tsubame`, safe to paste into a POSIX shell. Secrets are withheld; see
    /// ``tsubame(showingSecrets:)``.
    public var tsubame: String { tsubame() }

    /// The request as a command line for the tool `tsubame`, safe to paste into a POSIX shell.
    ///
    /// The line withholds the same secrets as ``curl(showingSecrets:)``. A streamed body has to be given on standard
    /// input. The tool cannot send a backslash before `:`, `;`, `=` or `@` in the value of a field.
    /// - Parameter showingSecrets: whether to withhold nothing.
    public func tsubame(showingSecrets: Bool = false) -> String {
        let shown = ShownRequest(self, showingSecrets: showingSecrets)
        var words = ["tsubame", "--path-as-is"]
        if asksServer { words.append("--request-target='*'") }
        var prefix = ""
        switch shown.content {
        case .none: break
        case .text(let text):
            if text.hasPrefix("\\@") {
                // The tool would take the backslash away.
                prefix = ShellWord.input(Array(text.utf8))
                words += ["--raw", "@-"]
            } else {
                words += ["--raw", ShellWord.quoted(text.hasPrefix("@") ? "\\" + text : text)]
            }
        case .bytes(let bytes):
            prefix = ShellWord.input(bytes)
            words += ["--raw", "@-"]
        case .file(let path):
            // The tool would expand a tilde.
            words += ["--raw", ShellWord.quoted("@" + (path.hasPrefix("~") || path == "-" ? "./" : "") + path)]
        case .stream: words += ["--raw", "@-"]
        }
        let isWord = method.rawValue.utf8.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
        words += [isWord ? method.rawValue : ShellWord.quoted(method.rawValue), ShellWord.quoted(shown.url)]
        for field in shown.fields { words.append(Self.item(field.name.rawName, field.value)) }
        if let type = shown.contentType { words.append(Self.item("Content-Type", type)) }
        if shown.hasNoContentType { words.append("'Content-Type:'") }
        return prefix + words.joined(separator: " ")
    }

    /// A field as an item. `Name:` would remove a field; `Name;` sends it empty.
    private static func item(_ name: String, _ value: String) -> String {
        if value.isEmpty { return ShellWord.quoted("\(name);") }
        // A separator would otherwise begin with the colon before it.
        let isSpecial = value.first == "=" || value.first == "@"
        return ShellWord.quoted("\(name):\(isSpecial ? "\\" : "")\(value)")
    }
}
