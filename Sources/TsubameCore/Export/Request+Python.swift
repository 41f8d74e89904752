// Request+Python: a request as a program in Python.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes

extension Request {
    /// A program in Python that sends the request with the package `requests`, with its secrets. A streamed body comes from
    /// the standard input.
    /// - Parameter arguments: further arguments of the call, such as `verify=False`.
    package func pythonProgram(_ arguments: [String] = ["allow_redirects=False"]) -> String {
        let shown = ShownRequest(self, showingSecrets: true)
        var fields = shown.fields.map { ($0.name.rawName, $0.value) }
        if let type = shown.contentType { fields.append(("Content-Type", type)) }
        if shown.undoesCodings { fields.append(("Accept-Encoding", headers[.acceptEncoding] ?? "gzip")) }
        // The packages add these by themselves, unless they are left out.
        let absent = [
            ("User-Agent", "SKIP_HEADER"), ("Accept", "None"), ("Accept-Encoding", "SKIP_HEADER"),
            ("Connection", "None"),
        ].filter { name, _ in !fields.contains { $0.0.lowercased() == name.lowercased() } }
        var (imports, body): ([String], String?) = (["import requests"], nil)
        if absent.contains(where: { $0.1 == "SKIP_HEADER" }) { imports.append("from urllib3.util import SKIP_HEADER") }
        switch shown.content {
        case .none: break
        case .text(let text): body = "\(Self.pythonLiteral(text)).encode()"
        case .bytes(let bytes):
            imports.insert("import base64", at: 0)
            body = "base64.b64decode(\"\(Data(bytes).base64EncodedString())\")"
        case .file(let path): body = "open(\(Self.pythonLiteral(path)), \"rb\")"
        case .stream:
            imports.insert("import sys", at: 0)
            body = "sys.stdin.buffer"
        }
        var lines = imports + ["", "headers = {"]
        // The package takes a field only once. Others are added after it.
        var names: Set<String> = []
        let repeated = fields.filter { !names.insert($0.0.lowercased()).inserted }
        names = []
        for (name, value) in fields where names.insert(name.lowercased()).inserted {
            lines.append("    \(Self.pythonLiteral(name)): \(Self.pythonValue(value)),")
        }
        if !repeated.isEmpty { lines.insert("from urllib3._collections import HTTPHeaderDict", at: imports.count) }
        lines += absent.map { "    \(Self.pythonLiteral($0.0)): \($0.1)," }
        // The package would say that a method such as DELETE has a body without bytes.
        let isWithoutLength = body == nil && ![.get, .head, .post, .put, .patch].contains(method)
        let isPrepared = isWithoutLength || !repeated.isEmpty
        lines += [
            "}", isPrepared ? "request = requests.Request(" : "response = requests.request(",
            "    \(Self.pythonLiteral(shown.method.rawValue)),",
            "    \(Self.pythonLiteral(shown.url)),", "    headers=headers,",
        ]
        if let body { lines.append("    data=\(body),") }
        if isPrepared {
            lines += [
                ")", "session = requests.Session()", "prepared = session.prepare_request(request)",
            ]
            if isWithoutLength { lines.append("prepared.headers.pop(\"Content-Length\", None)") }
            if !repeated.isEmpty { lines.append("prepared.headers = HTTPHeaderDict(prepared.headers)") }
            for (name, value) in repeated {
                lines.append("prepared.headers.add(\(Self.pythonLiteral(name)), \(Self.pythonValue(value)))")
            }
            lines.append("response = session.send(prepared, \(arguments.joined(separator: ", ")))")
        } else {
            lines += arguments.map { "    \($0)," } + [")"]
        }
        lines += ["print(response.status_code)", "print(response.text)"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The value of a field. The package would write text as ISO-8859-1.
    private static func pythonValue(_ value: String) -> String {
        pythonLiteral(value) + (value.utf8.allSatisfy { $0 < 0x80 } ? "" : ".encode()")
    }

    package static func pythonLiteral(_ text: String) -> String {
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
