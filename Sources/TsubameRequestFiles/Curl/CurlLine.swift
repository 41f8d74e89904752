// CurlLine: a command line of curl as a command line of this tool.

import HTTPTypes
import TsubameCore
import TsubameWire

/// The words that make `tsubame` send the request of a curl command.
///
/// curl's own defaults are part of the request: any answer is accepted, `-d` is a form, and no netrc file is read.
package struct CurlLine {
    /// Options, method, URL and items.
    package private(set) var words: [String] = []
    /// Options of curl that have no meaning here, as they are spelled.
    package private(set) var ignored: [String] = []

    private var options: [String] = []
    private var items: [String] = []
    private(set) var header = CurlFields()
    private(set) var method: String?
    private(set) var url: String?
    private var query: [String] = []
    /// The pieces of `-d`, which `&` joins.
    private(set) var data: [String] = []
    private var contentType: String?
    /// The value of a field Content-Length, which has to be right.
    private var declaredLength: String?
    /// The body for `--raw`, if it is a file or the standard input.
    private(set) var file: String?
    private var parts: [String] = []
    /// The parts as curl has them.
    private(set) var forms: [CurlFormPart] = []
    /// Whether the body is a file of `-T`. curl appends its name to a URL without a file name.
    private var isUpload = false
    /// Whether `--oauth2-bearer` is given, which replaces `-u`.
    private var hasToken = false
    private var isGet = false
    private var isHead = false
    private var isCompressed = false
    private var globs = true
    private(set) var usesNetrc = false
    private(set) var user: String?
    private(set) var proxy: String?
    private(set) var proxyUser: String?
    /// The options of curl that an entry of a file has as well, by the names of curl.
    private(set) var entryOptions: [(name: String, value: String)] = []
    /// The options that no entry has, as they are spelled.
    private(set) var otherOptions: [String] = []
    /// nil for an entry of a file, which reads its files when it runs.
    private let readFile: ((String) throws(ShellLine.Problem) -> String)?

    /// - Parameters:
    ///   - arguments: the words after `curl`.
    ///   - readFile: the text of a file, for `-d @FILE`.
    package init(
        _ arguments: [String], readFile: @escaping (String) throws(ShellLine.Problem) -> String
    ) throws(ShellLine.Problem) {
        try self.init(arguments[...], readFile: readFile)
    }

    /// A line in a file of requests, which may have expressions in double braces.
    init(ofFile arguments: [String]) throws(ShellLine.Problem) { try self.init(arguments[...], readFile: nil) }

    private init(
        _ arguments: ArraySlice<String>, readFile: ((String) throws(ShellLine.Problem) -> String)?
    ) throws(ShellLine.Problem) {
        self.readFile = readFile
        var rest = arguments
        while let word = rest.popFirst() {
            if word == "--" {
                for url in rest { try setURL(url) }
                break
            } else if word.hasPrefix("--") {
                try readLong(word, &rest)
            } else if word.hasPrefix("-"), word != "-" {
                try readLetters(word, &rest)
            } else {
                try setURL(word)
            }
        }
        try finish()
    }

    // MARK: Words

    private mutating func readLong(_ word: String, _ rest: inout ArraySlice<String>) throws(ShellLine.Problem) {
        var name = String(word.dropFirst(2))
        if CurlOption.named[name] == nil, let found = abbreviated(name) { name = found }
        guard let option = CurlOption.named[name] else {
            // `--no-silent` takes an option back, and all options that exist in this form are ignored.
            if name.hasPrefix("no-"), case .ignored? = CurlOption.named[String(name.dropFirst(3))] { return }
            throw ShellLine.Problem("curl's option \(word) is not known")
        }
        guard option.hasValue else { return try take(name, option, "", spelled: word) }
        guard let value = rest.popFirst() else { throw ShellLine.Problem("\(word) needs a value") }
        try take(name, option, value, spelled: word)
    }

    /// curl takes the beginning of a long name if it means only one option.
    private func abbreviated(_ name: String) -> String? {
        let found = CurlOption.named.keys.filter { $0.hasPrefix(name) }
        return name.count > 2 && found.count == 1 ? found[0] : nil
    }

    private mutating func readLetters(_ word: String, _ rest: inout ArraySlice<String>) throws(ShellLine.Problem) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let name = CurlOption.letters[letter], let option = CurlOption.named[name] else {
                throw ShellLine.Problem("curl's option -\(letter) is not known")
            }
            guard option.hasValue else {
                try take(name, option, "", spelled: "-\(letter)")
                continue
            }
            if letters.isEmpty {
                guard let value = rest.popFirst() else { throw ShellLine.Problem("-\(letter) needs a value") }
                return try take(name, option, value, spelled: "-\(letter)")
            }
            return try take(name, option, String(letters), spelled: "-\(letter)")
        }
    }

    private mutating func setURL(_ text: String) throws(ShellLine.Problem) {
        guard url == nil else { throw ShellLine.Problem("there are two URLs, and only one request can stand here") }
        url = text
    }

    // MARK: Options

    private mutating func take(
        _ name: String, _ option: CurlOption, _ value: String, spelled: String
    ) throws(ShellLine.Problem) {
        switch option {
        // These say what is printed.
        case .flag where ["include", "verbose"].contains(name): break
        case .flag, .value:
            if FileEntry.Option.names.contains(name) {
                entryOptions.append((name, option.hasValue ? value : "true"))
            } else {
                otherOptions.append(spelled)
            }
        default: break
        }
        switch option {
        case .flag(let words): options += words
        case .value(let word): options.append(word + value)
        case .ignored: if !["silent", "show-error"].contains(name) { ignored.append(spelled) }
        case .ignoredValue: ignored.append(spelled)
        case .refused(let why), .refusedValue(let why):
            throw ShellLine.Problem("curl's option \(spelled) has no counterpart here: \(why)")
        case .special: try takeSpecial(name, value)
        }
    }

    /// The body of a file. Several files cannot be joined here.
    private mutating func takeFile(_ value: String) throws(ShellLine.Problem) {
        guard file == nil else { throw ShellLine.Problem("several files of a body cannot be joined here") }
        file = value
    }

    private mutating func takeSpecial(_ name: String, _ value: String) throws(ShellLine.Problem) {
        switch name {
        case "header": try takeHeader(value)
        case "user-agent":
            header.setDefault("User-Agent", value)
            header.hasNoAgent = value.isEmpty
        case "referer":
            header.setDefault("Referer", value.replacing(";auto", with: ""))
        case "range": header.setDefault("Range", "bytes=\(value)")
        case "time-cond":
            let (date, isBefore) = value.hasPrefix("-") ? (String(value.dropFirst()), true) : (value, false)
            guard HTTPDate.parse(date) != nil || readFile == nil && date.contains("{{") else {
                throw ShellLine.Problem("-z takes a date here as HTTP writes it: Sun, 06 Nov 1994 08:49:37 GMT")
            }
            header.setDefault("If-Modified-Since", isBefore ? "" : date)
            header.setDefault("If-Unmodified-Since", isBefore ? date : "")
        case "cookie":
            guard value.contains("=") else {
                throw ShellLine.Problem("-b reads no file here: --cookie-jar \(value) of tsubame reads and writes one")
            }
            header.setDefault("Cookie", (header.default("Cookie").map { "\($0); " } ?? "") + value)
        case "data", "data-ascii":
            if value.hasPrefix("@"), value != "@-", let readFile {
                // As curl does, and no other line break.
                let left: Set<Unicode.Scalar> = ["\r", "\n", "\0"]
                var text = try readFile(String(value.dropFirst()))
                text.unicodeScalars.removeAll { left.contains($0) }
                data.append(text)
            } else if value.hasPrefix("@") {
                try takeFile(value)
            } else {
                data.append(value)
            }
        case "data-raw": data.append(value)
        case "data-binary": if value.hasPrefix("@") { try takeFile(value) } else { data.append(value) }
        case "data-urlencode": data.append(try encoded(value))
        case "json":
            if value.hasPrefix("@") { try takeFile(value) } else { data = [data.joined() + value] }
            contentType = "application/json"
            header.setDefault("Accept", "application/json")
        case "form", "form-string": try takePart(value, isPlain: name == "form-string")
        case "upload-file":
            (file, method, contentType) = (["-", "."].contains(value) ? "@-" : "@\(value)", method ?? "PUT", "")
            isUpload = true
        case "request": method = value
        case "url": try setURL(value)
        case "url-query": query.append(try encoded(value))
        case "max-redirs":
            options.append("--max-redirects=\(value == "-1" ? "10000" : value)")
            entryOptions.append((name, value))
        case "aws-sigv4":
            guard readFile == nil else {
                throw ShellLine.Problem("--aws-sigv4 needs a file of requests: tsubame run signs its requests")
            }
            entryOptions.append((name, value))
        case "get": isGet = true
        case "head": isHead = true
        case "compressed": isCompressed = true
        case "globoff": globs = false
        case "netrc", "netrc-optional": usesNetrc = true
        case "user": user = value
        case "oauth2-bearer":
            options += ["--auth-type=bearer", "--auth=\(value)"]
            hasToken = true
            if readFile == nil { header.setDefault("Authorization", "Bearer \(value)") }
        case "proxy-user": proxyUser = value
        case "proxy": proxy = value.contains("://") || value.isEmpty ? value : "http://\(value)"
        case "socks4", "socks4a", "socks5": proxy = "\(name)://\(value)"
        case "socks5-hostname": proxy = "socks5h://\(value)"
        case "cert":
            let (path, passphrase) = Self.certificate(value)
            options.append("--cert=\(path)")
            if let passphrase { options.append("--cert-key-pass=\(passphrase)") }
            entryOptions.append((name, value))
        case "continue-at":
            guard value == "-" else { throw ShellLine.Problem("-C continues here only with -, where the file ends") }
            options += ["--download", "--continue"]
            otherOptions.append("-C")
        default: throw ShellLine.Problem("curl's option --\(name) has no counterpart here")
        }
    }

    private mutating func takeHeader(_ text: String) throws(ShellLine.Problem) {
        if text.hasPrefix("@") { throw ShellLine.Problem("-H cannot read fields from a file here") }
        if let colon = text.firstIndex(of: ":") {
            let name = try Self.fieldName(String(text[..<colon]).trimmed)
            let value = String(text[text.index(after: colon)...]).trimmed
            if name.lowercased() == "content-length", !value.isEmpty {
                declaredLength = value
                return
            }
            // Only a body can be chunked.
            if name.lowercased() == "transfer-encoding", value.lowercased() == "chunked" {
                options.append("--chunked")
                otherOptions.append("-H “\(text)”")
                return
            }
            if value.isEmpty { header.unset.append(name) } else { header.fields.append((name, value)) }
        } else if text.hasSuffix(";") {
            header.fields.append((try Self.fieldName(String(text.dropLast()).trimmed), ""))
        } else {
            throw ShellLine.Problem("-H “\(text)” is no field: write Name: value")
        }
    }

    /// A name with other characters could become another kind of item.
    private static func fieldName(_ name: String) throws(ShellLine.Problem) -> String {
        guard HTTPField.Name(name) != nil else { throw ShellLine.Problem("“\(name)” is no name of a field") }
        return name
    }

    /// `content`, `=content`, `name=content`, `@file` or `name@file`, percent-encoded.
    private func encoded(_ text: String) throws(ShellLine.Problem) -> String {
        func encode(_ text: String) -> String {
            let template = readFile == nil ? TemplateText(parsing: text) : TemplateText(text)
            return template.percentEncoded.replacing("%20", with: "+")
        }
        guard let mark = text.firstIndex(where: { $0 == "=" || $0 == "@" }) else { return encode(text) }
        let name = text[..<mark]
        var content = String(text[text.index(after: mark)...])
        if text[mark] == "@" {
            guard let readFile else { throw ShellLine.Problem("--data-urlencode reads no file here") }
            content = try readFile(content)
        }
        return name.isEmpty ? encode(content) : "\(name)=\(encode(content))"
    }

    /// The value of `-F` or `--form-string`.
    private mutating func takePart(_ text: String, isPlain: Bool) throws(ShellLine.Problem) {
        let form = try CurlFormPart(text, isPlain: isPlain)
        forms.append(form)
        ignored += form.ignored.map { "\($0) of -F" }
        let name = Self.escaped(form.name)
        switch form.content {
        case .file(let path):
            let filename = form.filename.map { ";filename=\($0)" } ?? ""
            parts.append("\(name)@\(path)\(form.type.map { ";type=\($0)" } ?? "")\(filename)")
            return
        case .textFile(let path): parts.append("\(name)=@\(path)")
        case .text(let value): parts.append("\(name)=\(try Self.value(value, after: "="))")
        }
        guard form.filename == nil else {
            throw ShellLine.Problem("only a file of -F can have a filename here: “\(text)”")
        }
        let same = forms.filter { form in
            if case .text = form.content { form.name == forms.last?.name } else { false }
        }
        guard same.allSatisfy({ $0.type == form.type }) else {
            throw ShellLine.Problem("parts of one name cannot have different types here: “\(form.name)”")
        }
        if let type = form.type { options.append("--part-type=\(form.name)=\(type)") }
    }

    // MARK: The words of the tool

    private mutating func finish() throws(ShellLine.Problem) {
        guard var url, !url.isEmpty else { throw ShellLine.Problem("the curl command has no URL") }
        if globs, Self.hasGlob(url) {
            throw ShellLine.Problem(
                "curl would expand the brackets of the URL to several URLs; --globoff prevents that")
        }
        // In a file, an expression may give the scheme.
        if readFile != nil, !url.contains("://") { url = "http://\(url)" }
        let hasForm = !parts.isEmpty
        if hasForm, !data.isEmpty || file != nil { throw ShellLine.Problem("-d and -F both give a body") }
        if isGet {
            guard file == nil || isUpload else { throw ShellLine.Problem("-G reads no file here") }
            query += data
            data = []
        }
        if isUpload, let file, file != "@-" {
            if globs, readFile != nil, file.contains(where: { "{[".contains($0) }) {
                throw ShellLine.Problem(
                    "curl would expand the brackets of -T to several files; --globoff prevents that")
            }
            let name = file.dropFirst().split(separator: "/").last.map(String.init) ?? ""
            url = Self.adding(fileName: readFile == nil ? TemplateText(parsing: name) : TemplateText(name), to: url)
        }
        url = Self.adding(query, to: url)
        header.settle()
        if file != nil, !data.isEmpty { throw ShellLine.Problem("a body from a file cannot be joined with another -d") }
        let hasBody = hasForm || !data.isEmpty || file != nil
        // The length of a file is known when it is sent.
        if let declaredLength, !hasForm, file == nil {
            let length = data.joined(separator: "&").utf8.count
            guard declaredLength == "\(length)" else {
                throw ShellLine.Problem("Content-Length is \(declaredLength), but the body has \(length) bytes")
            }
        }
        if !header.has("Accept") { header.fields.append(("Accept", "*/*")) }
        if !isCompressed, !header.has("Accept-Encoding") { header.unset.append("Accept-Encoding") }
        if hasForm { options.append("--multipart") }
        if let file { options += ["--raw", file] }
        if !data.isEmpty { options += ["--raw", try Self.raw(data.joined(separator: "&"))] }
        if hasBody, !hasForm, !header.has("Content-Type") {
            let type = contentType ?? "application/x-www-form-urlencoded"
            if type.isEmpty {
                header.unset.append("Content-Type")
            } else {
                header.fields.append(("Content-Type", type))
            }
        }
        if isHead { options.append("--print=h") }
        if hasToken { user = nil }
        if let user { options.append("--auth=\(user)") } else if !usesNetrc { options.append("--ignore-netrc") }
        if !hasBody { options.append("--ignore-stdin") }
        if let proxy { options.append("--proxy=\(try Self.proxy(proxy, user: proxyUser))") }
        for field in header.fields { items.append(try Self.item(field.name, field.value)) }
        for name in header.unset { items.append("\(name):") }
        let method = method ?? (isHead ? "HEAD" : hasBody ? "POST" : "GET")
        (self.method, self.url) = (method, url)
        words = options + ["--", method, url] + items + parts
    }
}
