// RequestLanguage: the languages in which `--as` prints a request.

import Tsubame
import TsubameRequestFiles

enum RequestLanguage: String, CaseIterable {
    case curl, swift, http, hurl, python, tsubame

    /// The request in this language, with its secrets.
    /// - Throws: if the language cannot name the request's body.
    func text(of request: Request) throws(UsageProblem) -> String {
        switch self {
        case .curl: request.curl(showingSecrets: true) + "\n"
        case .swift: SwiftProgram(request).text
        case .python: PythonProgram(request).text
        case .tsubame: request.tsubame(showingSecrets: true) + "\n"
        case .http: HTTPFileWriter(try Self.file(of: [request])).text
        case .hurl: HurlWriter(try Self.file(of: [request])).text
        }
    }

    static func file(of requests: [Request]) throws(UsageProblem) -> RequestFile {
        var file = RequestFile(path: "")
        for request in requests {
            guard let entry = FileEntry(request) else {
                throw UsageProblem("The body of \(request.summary) can be read only once, so no file can hold it.")
            }
            file.entries.append(entry)
        }
        return file
    }
}

/// A program in Swift that sends the request.
private struct SwiftProgram {
    let text: String

    init(_ request: Request) {
        let expression = request.swift(showingSecrets: true)
        let imports =
            expression.contains("Data(base64Encoded:") ? "import Foundation\nimport Tsubame" : "import Tsubame"
        text = """
            \(imports)

            let client = Client()
            let request = \(expression)
            let response = try await client.send(request)
            print(response.statusCode)
            print(try response.text())

            """
    }
}

/// A program in Python that sends the request with the package `requests`.
private struct PythonProgram {
    let text: String

    /// Fields that `requests` would add by itself are taken out by None.
    init(_ request: Request) {
        let shown = ShownRequest(request, showingSecrets: true)
        var fields = shown.fields.map { ($0.name.rawName, $0.value) }
        if let type = shown.contentType { fields.append(("Content-Type", type)) }
        func has(_ name: String) -> Bool { fields.contains { $0.0.lowercased() == name } }
        if shown.undoesCodings { fields.append(("Accept-Encoding", request.headers[.acceptEncoding] ?? "gzip")) }
        let absent = ["User-Agent", "Accept", "Accept-Encoding", "Connection"].filter { !has($0.lowercased()) }
        var lines = ["import requests", ""]
        var body: String?
        switch shown.content {
        case .none: break
        case .text(let text): body = "\(Self.literal(text)).encode()"
        case .bytes(let bytes):
            lines[0] = "import base64\n\nimport requests"
            body = "base64.b64decode(\"\(EncodedBytes.base64Text(bytes))\")"
        case .file(let path): body = "open(\(Self.literal(path)), \"rb\")"
        case .stream: body = "sys.stdin.buffer"
        }
        lines.append("headers = {")
        lines += fields.map { "    \(Self.literal($0.0)): \(Self.literal($0.1))," }
        lines += absent.map { "    \(Self.literal($0)): None," }
        lines.append("}")
        lines.append("response = requests.request(")
        lines.append("    \(Self.literal(shown.method.rawValue)),")
        lines.append("    \(Self.literal(shown.url)),")
        lines.append("    headers=headers,")
        if let body { lines.append("    data=\(body),") }
        lines += ["    allow_redirects=False,", ")", "print(response.status_code)", "print(response.text)"]
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func literal(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "\"") { result, scalar in
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\x" + (digits.count == 1 ? "0" : "") + digits
            default: result.unicodeScalars.append(scalar)
            }
        } + "\""
    }
}
