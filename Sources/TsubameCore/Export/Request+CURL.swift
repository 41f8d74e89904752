// Request+CURL: a request as a curl command line.

import HTTPTypes

extension Request {
    /// The request as a command line for curl, safe to paste into a POSIX shell. Secrets are withheld; see
    /// ``curl(showingSecrets:)``.
    public var curl: String { curl() }

    /// The request as a command line for curl, safe to paste into a POSIX shell.
    ///
    /// ```swift
    /// let response = try await api.get("users")
    /// print(response.request.curl)            // what was really sent, with all its fields
    /// ```
    /// A request has the client's fields and base URL after it was sent. Use `response.request`, `error.request`, or
    /// the request of ``CallEvent/Kind/sent(_:)``.
    ///
    /// Credentials are withheld. So are values with a secret name in the URL, in fields, in forms, in multipart bodies
    /// and in JSON. Such a body is withheld as a whole if a content coding hides its names. A streamed body has to be
    /// given on standard input.
    /// - Parameter showingSecrets: whether to withhold nothing.
    public func curl(showingSecrets: Bool = false) -> String {
        let shown = ShownRequest(self, showingSecrets: showingSecrets)
        var words = ["curl", "--globoff", "--path-as-is"]
        switch (method, body.isEmpty) {
        case (.get, true): break
        case (.head, true): words.append("--head")
        default: words += ["--request", ShellWord.quoted(method.rawValue)]
        }
        if asksServer { words += ["--request-target", "'*'"] }
        // curl decodes only the codings that it asked for itself.
        if shown.undoesCodings { words.append("--compressed") }
        for field in shown.fields { words += ["--header", Self.header(field.name.rawName, field.value)] }
        if let type = shown.contentType { words += ["--header", Self.header("Content-Type", type)] }
        if shown.hasNoContentType { words += ["--header", "'Content-Type:'"] }
        var prefix = ""
        switch shown.content {
        case .none: break
        case .text(let text): words += ["--data-raw", ShellWord.quoted(text)]
        case .bytes(let bytes):
            prefix = ShellWord.input(bytes)
            words += ["--data-binary", "@-"]
        case .file(let path): words += ["--data-binary", ShellWord.quoted("@" + path)]
        case .stream: words += ["--data-binary", "@-"]
        }
        words.append(ShellWord.quoted(shown.url))
        return prefix + words.joined(separator: " ")
    }

    /// `Name:` would remove a field; `Name;` sends it empty.
    private static func header(_ name: String, _ value: String) -> String {
        ShellWord.quoted(value.isEmpty ? "\(name);" : "\(name): \(value)")
    }
}
