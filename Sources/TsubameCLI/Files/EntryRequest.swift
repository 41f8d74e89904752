// EntryRequest: makes the request of an entry, with the values of the variables.

import Tsubame
import TsubameRequestFiles

/// The request of an entry, and its facts for later entries that refer to it.
struct EntryRequest {
    let request: Request
    /// The body, if it is no file and no form with files.
    private(set) var body: [UInt8] = []

    init(
        _ entry: FileEntry, _ options: EntryOptions, _ variables: FileVariables, _ folder: RequestFolder
    ) throws(EntryProblem) {
        do throws(ValueProblem) {
            let values = EntryValues(variables: variables, folder: folder)
            guard let method = HTTPRequest.Method(try values.text(TemplateText(entry.method))) else {
                throw ValueProblem("“\(entry.method)” is no method")
            }
            var headers = RequestHeaders()
            for field in entry.fields { try headers.append(values.text(field.name), values.text(field.value)) }
            for field in options.fields { headers.append(field.name, field.value) }
            // These are curl's defaults.
            if !headers.contains("Accept") { headers.append("Accept", "*/*") }
            if options.isCompressed, !headers.contains("Accept-Encoding") {
                headers.append("Accept-Encoding", Self.codings)
            }
            let cookies = try entry.cookies.map { cookie throws(ValueProblem) in
                "\(try values.text(cookie.name))=\(try values.text(cookie.value))"
            }
            if !cookies.isEmpty { headers.append("Cookie", cookies.joined(separator: "; ")) }
            if let user = entry.user, !headers.contains("Authorization") {
                let pair = "\(try values.text(user.name)):\(try values.text(user.value))"
                headers.append("Authorization", "Basic \(EncodedBytes.base64Text(Array(pair.utf8)))")
            }
            let content = try values.content(of: entry)
            body = content.bytes
            // The right length is sent anyway, and a wrong one is an error.
            if !content.bytes.isEmpty, headers["Content-Length"] == "\(content.bytes.count)" {
                headers[.contentLength] = nil
            }
            let target = try values.text(entry.url)
            let url = Self.whole(target, host: headers["Host"])
            // JetBrains takes a whole URL in this field.
            if headers["Host"]?.contains("://") ?? false { headers[.host] = nil }
            var parameters = Parameters()
            for field in entry.query { try parameters.append(values.text(field.name), values.text(field.value)) }
            var request = Request(
                method, url: url, keepingDotSegments: options.keepsDotSegments, query: parameters, headers: headers,
                body: content.body)
            if target == "*" { request.asksServer = true }
            if let scope = options.signatureScope {
                try Self.sign(&request, scope, options, values.body(of: entry, content.bytes))
            }
            self.request = request
        } catch {
            throw EntryProblem(entry.place, error.reason)
        }
    }

    /// Adds the fields of a signature. The token of a session is a field of the entry.
    private static func sign(
        _ request: inout Request, _ scope: String, _ options: EntryOptions, _ body: [UInt8]
    ) throws(ValueProblem) {
        guard let uri = request.uri else { return }
        let token = request.headers["X-Amz-Security-Token"]
        let signature = try AWSSignature(scope: scope, user: options.user, token: token, host: uri.host)
        let message = AWSSignature.Message(
            method: request.method.rawValue, path: uri.path, query: uri.query ?? "",
            host: request.headers["Host"] ?? uri.authority,
            contentType: request.headers["Content-Type"] ?? request.body.contentType, body: body)
        for field in signature.fields(for: message, at: .now()) where field.name != "X-Amz-Security-Token" {
            request.headers.append(field.name, field.value)
        }
    }

    /// The content codings of this build. A library that is missing is no reason not to ask for the others.
    private static let codings = ContentCoding.allCases.filter(\.isAvailable).map(\.rawValue).joined(separator: ", ")

    /// The URL with a scheme, and with the host of a field if it begins with its path. These ports mean https in VS Code.
    static func whole(_ url: String, host: String?) -> String {
        guard url.hasPrefix("/") || url == "*", let host else {
            // Another address in the query is no scheme.
            let start = url.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            return start.hasSuffix(":") && url.dropFirst(start.count).hasPrefix("//") ? url : "http://\(url)"
        }
        let scheme = host.hasSuffix(":443") || host.hasSuffix(":8443") ? "https" : "http"
        return (host.contains("://") ? host : "\(scheme)://\(host)") + (url == "*" ? "" : url)
    }
}

/// The texts and bodies of an entry.
private struct EntryValues {
    let variables: FileVariables
    let folder: RequestFolder

    func text(_ template: TemplateText) throws(ValueProblem) -> String { try variables.text(of: template) }

    /// The bytes of a body that has to be known as a whole.
    func body(of entry: FileEntry, _ known: [UInt8]) throws(ValueProblem) -> [UInt8] {
        guard entry.parts.isEmpty else { throw ValueProblem("a form with parts cannot be signed") }
        guard case .file(let path) = entry.body else { return known }
        return try folder.read(text(path))
    }

    /// The body of the entry, with its bytes if they are known.
    func content(of entry: FileEntry) throws(ValueProblem) -> (body: RequestBody, bytes: [UInt8]) {
        if !entry.parts.isEmpty { return (try form(entry.parts), []) }
        if !entry.form.isEmpty {
            var parameters = Parameters()
            for field in entry.form { try parameters.append(text(field.name), text(field.value)) }
            return (.form(parameters), Array(parameters.encoded().utf8))
        }
        switch entry.body {
        case nil: return (.empty, [])
        case .text(let template, .graphQL):
            let bytes = Array(GraphQLQuery.json(of: try text(template)).utf8)
            return (.bytes(bytes, contentType: "application/json"), bytes)
        case .text(let template, .form):
            let bytes = Array(FormText.encoded(try text(template)).utf8)
            return (.bytes(bytes, contentType: FileEntry.TextKind.form.mediaType), bytes)
        case .text(let template, let kind):
            let bytes = Array(try kind == .json ? jsonText(template).utf8 : text(template).utf8)
            return (.bytes(bytes, contentType: kind.mediaType), bytes)
        case .bytes(let bytes): return (.bytes(bytes), bytes)
        case .file(let path): return (.file(try folder.readablePath(text(path))), [])
        case .pieces(let pieces):
            var bytes: [UInt8] = []
            for piece in pieces {
                switch piece {
                case .text(let template): bytes += Array(try text(template).utf8)
                case .file(let path, let charset):
                    let content = try folder.read(text(path))
                    guard let charset else {
                        bytes += content
                        break
                    }
                    guard let found = charset.text(of: content) else {
                        throw ValueProblem("\(try text(path)) is no text in \(charset.rawValue)")
                    }
                    bytes += Array(try text(TemplateText(parsing: found)).utf8)
                }
            }
            return (.bytes(bytes), bytes)
        }
    }

    /// JSON in which a value within a string has JSON's escapes.
    private func jsonText(_ template: TemplateText) throws(ValueProblem) -> String {
        var (result, isInString) = ("", false)
        for part in template.parts {
            switch part {
            case .text(let text):
                var isEscaped = false
                for scalar in text.unicodeScalars {
                    if isEscaped {
                        isEscaped = false
                    } else if isInString, scalar == "\\" {
                        isEscaped = true
                    } else if scalar == "\"" {
                        isInString.toggle()
                    }
                }
                result += text
            case .expression(let name, _):
                let value = try variables.value(of: name).text
                result += isInString ? String(JSONSyntax.string(value).dropFirst().dropLast()) : value
            }
        }
        return result
    }

    private func form(_ parts: [FileEntry.Part]) throws(ValueProblem) -> RequestBody {
        var values: [(name: String, content: (text: String, file: String?, type: String?, filename: String?))] = []
        for part in parts {
            let type = try part.contentType.map { template throws(ValueProblem) in try text(template) }
            switch part.content {
            case .text(let template): values.append((try text(part.name), (try text(template), nil, type, nil)))
            case .file(let path):
                let filename = try part.filename.map { template throws(ValueProblem) in try text(template) }
                values.append((try text(part.name), ("", try folder.readablePath(text(path)), type, filename)))
            }
        }
        return .multipart { form in
            for value in values {
                guard let file = value.content.file else {
                    form.bytes(value.name, Bytes(value.content.text), contentType: value.content.type)
                    continue
                }
                form.file(
                    value.name, at: file,
                    filename: value.content.filename ?? file.split(separator: "/").last.map(String.init),
                    contentType: value.content.type)
            }
        }
    }
}
