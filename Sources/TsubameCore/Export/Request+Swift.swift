// Request+Swift: a request as Swift source.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
package import HTTPTypes

extension Request {
    /// The request as Swift source. Secrets are withheld; see ``swift(showingSecrets:)``.
    public var swift: String { swift() }

    /// The request as Swift source: an expression that makes it with this library.
    ///
    /// ```swift
    /// print(response.request.swift)  // Request(.get, url: "https://api.example.com/users", headers: […])
    /// ```
    /// The expression withholds the same secrets as ``curl(showingSecrets:)``. A streamed body is `stream`, a sequence
    /// that the program has to have. A body that is not text needs Foundation. The expression does not set
    /// ``asksServer``.
    /// - Parameter showingSecrets: whether to withhold nothing.
    public func swift(showingSecrets: Bool = false) -> String {
        let shown = ShownRequest(self, showingSecrets: showingSecrets)
        var arguments = [Self.literal(method), "url: \(Self.literal(shown.url))"]
        if shown.url.contains("/.") || shown.url.lowercased().contains("/%2e") {
            arguments.append("keepingDotSegments: true")
        }
        let type = shown.contentType ?? shown.fields.first { $0.name == .contentType }?.value
        let fields = shown.fields.filter { $0.name != .contentType || shown.content == .none }
        if !fields.isEmpty {
            let pairs = fields.map { "\(Self.literal($0.name.rawName)): \(Self.literal($0.value))" }
            arguments.append("headers: [\(pairs.joined(separator: ", "))]")
        }
        if let body = Self.body(shown.content, type.map { ", contentType: \(Self.literal($0))" } ?? "") {
            arguments.append("body: \(body)")
        }
        return "Request(\(arguments.joined(separator: ", ")))"
    }

    /// A program that sends the request, with its secrets.
    /// - Parameter settings: lines that configure the client.
    package func swiftProgram(_ settings: [String] = []) -> String {
        let expression = swift(showingSecrets: true)
        let needsData = expression.contains("Data(base64Encoded:")
        return """
            \(needsData ? "import Foundation\n" : "")import Tsubame

            let client = Client\(settings.isEmpty ? "()" : " {\n    \(settings.joined(separator: "\n    "))\n}")
            let request = \(expression)
            let response = try await client.send(request)
            print(response.statusCode)
            print(try await response.text())

            """
    }

    private static func body(_ content: ShownRequest.Content, _ type: String) -> String? {
        switch content {
        case .none: nil
        case .text(let text): ".bytes(Bytes(\(literal(text)))\(type))"
        case .bytes(let bytes):
            ".data(Data(base64Encoded: \"\(Data(bytes).base64EncodedString())\") ?? Data()\(type))"
        case .file(let path): ".file(\(literal(path))\(type))"
        case .stream: ".stream(once: stream\(type))"
        }
    }

    package static func literal(_ method: HTTPRequest.Method) -> String {
        switch method {
        case .get: ".get"
        case .head: ".head"
        case .post: ".post"
        case .put: ".put"
        case .patch: ".patch"
        case .delete: ".delete"
        case .options: ".options"
        case .query: ".query"
        default: "HTTPRequest.Method(\(literal(method.rawValue)))!"
        }
    }

    /// The text as a literal in one line.
    package static func literal(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "\"") { result, scalar in
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0x2028 || scalar.value == 0x2029 {
                    result += "\\u{\(String(scalar.value, radix: 16))}"
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        } + "\""
    }
}
