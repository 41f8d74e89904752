// ShownRequest: a request as the lines for other programs show it, with its secrets withheld.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
package import HTTPTypes

/// The parts of a request that a line needs, as values.
package struct ShownRequest {
    package enum Content: Equatable {
        case none
        case text(String)
        /// Bytes that are not text, or that no argument of a program can hold.
        case bytes([UInt8])
        case file(path: String)
        /// The line cannot name the content.
        case stream
    }

    package let method: HTTPRequest.Method
    package let url: String
    package let asksServer: Bool
    /// All fields but Content-Length, which follows from the content.
    package let fields: [HTTPField]
    /// Whether the client asked for content codings by itself. Accept-Encoding is then not in ``fields``.
    package let undoesCodings: Bool
    /// The type that goes with the content, unless ``fields`` name one.
    package let contentType: String?
    package let content: Content

    package init(_ request: Request, showingSecrets: Bool) {
        let body = request.body.resolved(by: nil)
        method = request.method
        asksServer = request.asksServer
        url = Self.url(request, showingSecrets)
        let undoesCodings = request.undoesCodings && ![nil, "identity"].contains(request.headers[.acceptEncoding])
        self.undoesCodings = undoesCodings
        fields = request.headers.filter { field in
            // The engine makes the fields that frame a message.
            field.name != .contentLength && field.name != .transferEncoding
                && !(undoesCodings && field.name == .acceptEncoding)
        }.map { field in
            HTTPField(name: field.name, value: showingSecrets ? field.value : request.redaction.value(of: field))
        }
        contentType = request.headers.contains(.contentType) ? nil : body.contentType
        content = Self.content(body, request, showingSecrets)
    }

    /// Whether the content goes without a type.
    var hasNoContentType: Bool {
        content != .none && contentType == nil && !fields.contains { $0.name == .contentType }
    }

    private static func url(_ request: Request, _ showingSecrets: Bool) -> String {
        let text: String
        switch request.target {
        case .uri(let uri):
            let userinfo = showingSecrets ? uri.userinfo.map { "\($0)@" } ?? "" : ""
            text = "\(uri.origin.scheme)://\(userinfo)\(uri.origin.authority)\(uri.target)"
        case .path(let path, let query): text = path.encoded + (query.isEmpty ? "" : "?" + query)
        case .invalid: text = ""
        }
        return showingSecrets ? text : request.redaction.url(text)
    }

    private static func content(_ body: RequestBody, _ request: Request, _ showingSecrets: Bool) -> Content {
        switch body.content {
        case nil, .failed, .deferred: return .none
        case .file(let path): return .file(path: path)
        case .stream: return .stream
        case .bytes(let content):
            var bytes = Array(content)
            if !showingSecrets {
                let type = request.headers[.contentType] ?? body.contentType ?? ""
                let coding = request.headers[.contentEncoding] ?? body.contentCoding ?? "identity"
                var shown = BodyRedaction(request.redaction)
                bytes = shown.redacted(bytes[...], type: type, isCoded: coding.lowercased() != "identity")
            }
            let text = String(decoding: bytes, as: UTF8.self)
            return text.utf8.elementsEqual(bytes) && !bytes.contains(0) ? .text(text) : .bytes(bytes)
        }
    }
}

/// Words of a command line for a POSIX shell.
package enum ShellWord {
    /// The text as one word, with any content.
    package static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    /// The beginning of a line that gives a program bytes on its standard input. No argument could hold them.
    static func input(_ bytes: [UInt8]) -> String {
        "printf '%s' '\(Data(bytes).base64EncodedString())' | base64 -d | "
    }
}
