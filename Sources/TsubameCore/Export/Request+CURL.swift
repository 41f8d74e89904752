// Request+CURL: a request as a curl command line.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
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
        var words = ["curl", "--globoff", "--path-as-is"]
        var prefix = ""
        switch (method, body.isEmpty) {
        case (.get, true): break
        case (.head, true): words.append("--head")
        default: words += ["--request", Self.quoted(method.rawValue)]
        }
        if asksServer { words += ["--request-target", "'*'"] }
        for field in headers {
            // curl decodes only the codings that it asked for itself.
            if undoesCodings, field.name == .acceptEncoding {
                words.append("--compressed")
                continue
            }
            if field.name == .contentLength { continue }
            let value = showingSecrets ? field.value : redaction.value(of: field)
            // `Name:` would remove a field; `Name;` sends it empty.
            let line = value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(value)"
            words += ["--header", Self.quoted(line)]
        }
        if !body.isEmpty, body.contentType == nil, !headers.contains(.contentType) {
            words += ["--header", "'Content-Type:'"]
        }
        if !body.isEmpty { words += bodyWords(showingSecrets, &prefix) }
        words.append(Self.quoted(address(showingSecrets)))
        return prefix + words.joined(separator: " ")
    }

    private func address(_ showingSecrets: Bool) -> String {
        switch target {
        case .uri(let uri):
            let userinfo = showingSecrets ? uri.userinfo.map { "\($0)@" } ?? "" : ""
            let text = "\(uri.origin.scheme)://\(userinfo)\(uri.origin.authority)\(uri.target)"
            return showingSecrets ? text : redaction.url(text)
        case .path(let path, let query):
            let text = path.encoded + (query.isEmpty ? "" : "?" + query)
            return showingSecrets ? text : redaction.url(text)
        case .invalid: return ""
        }
    }

    private func bodyWords(_ showingSecrets: Bool, _ prefix: inout String) -> [String] {
        switch body.content {
        case nil, .failed: return []
        case .file(let path): return ["--data-binary", Self.quoted("@" + path)]
        case .stream: return ["--data-binary", "@-"]
        case .deferred:
            var copy = self
            copy.body = body.resolved(by: nil)
            return copy.bodyWords(showingSecrets, &prefix)
        case .bytes(let content):
            var bytes = Array(content)
            if !showingSecrets {
                let type = headers[.contentType] ?? body.contentType ?? ""
                let coding = headers[.contentEncoding] ?? body.contentCoding ?? "identity"
                var shown = BodyRedaction(redaction)
                bytes = shown.redacted(bytes[...], type: type, isCoded: coding.lowercased() != "identity")
            }
            let text = String(decoding: bytes, as: UTF8.self)
            // An argument cannot hold a NUL, and bytes that are not text reach curl unchanged only through a pipe.
            guard text.utf8.elementsEqual(bytes), !bytes.contains(0) else {
                prefix = "printf '%s' '\(Data(bytes).base64EncodedString())' | base64 -d | "
                return ["--data-binary", "@-"]
            }
            return ["--data-raw", Self.quoted(text)]
        }
    }

    /// The text as one word of the shell, with any content.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
