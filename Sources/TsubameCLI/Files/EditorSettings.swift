// EditorSettings: the settings of editors that belong to the requests of a file.

import Tsubame
import TsubamePlatform
import TsubameRequestFiles

/// Settings of VS Code's REST client (`.vscode/settings.json`), and the `SSLConfiguration` of an environment for JetBrains.
struct EditorSettings {
    private struct Certificate {
        let path: String
        let key: String?
        let passphrase: String?
    }

    private var options: [(name: String, value: String)] = []
    private var fields: [(name: String, value: String)] = []
    /// The certificates by host, with or without a port.
    private var certificates: [String: Certificate] = [:]

    /// Reads the settings `rest-client.…`.
    /// - Throws: ``UsageProblem`` for a certificate in another format than PEM.
    mutating func read(_ json: JSONValue, _ path: String) throws(UsageProblem) {
        if json["rest-client.followredirect"] == .bool(false) { options.append(("location", "false")) }
        if json["rest-client.rememberCookiesForSubsequentRequests"] == .bool(false) {
            options.append(("cookies", "false"))
        }
        let longest = 1_000_000_000
        if let limit = json["rest-client.timeoutinmilliseconds"]?.text.flatMap({ Int($0) }),
            (1...longest).contains(limit)
        {
            options.append(("max-time", "\(limit)ms"))
        }
        for member in json["rest-client.defaultHeaders"]?.members ?? [] {
            if let value = member.value.text { fields.append((member.name, value)) }
        }
        for host in json["rest-client.certificates"]?.members ?? [] {
            guard let certificate = host.value["cert"]?.text else {
                throw UsageProblem(
                    "\(path): the certificate of \(host.name) has no “cert”. Only PEM is read: openssl pkcs12 -in FILE -out FILE.pem makes it."
                )
            }
            let folder = FilePath.folder(of: FilePath.folder(of: path))
            certificates[host.name.lowercased()] = Certificate(
                path: Self.path(certificate, in: folder),
                key: host.value["key"]?.text.map { Self.path($0, in: folder) },
                passphrase: host.value["passphrase"]?.text)
        }
    }

    /// Reads the member `SSLConfiguration` of an environment.
    /// - Parameter file: the file of the environment, beside which the certificates may be.
    mutating func readTLS(_ json: JSONValue, _ file: String) {
        func path(_ name: String) -> String? {
            (json[name]?.text ?? json[name]?["path"]?.text).map { Self.path($0, in: FilePath.folder(of: file)) }
        }
        switch json["verifyHostCertificate"] {
        case .bool(let verifies)?: options.append(("insecure", "\(!verifies)"))
        default: break
        }
        if let certificate = path("clientCertificate") { options.append(("cert", certificate)) }
        if let key = path("clientCertificateKey") { options.append(("key", key)) }
    }

    /// The path of a file in the folder of the settings; the path as it is, if there is none.
    private static func path(_ name: String, in folder: String) -> String {
        let inner = "\(folder)/\(name)"
        return !name.hasPrefix("/") && access(inner, F_OK) == 0 ? inner : name
    }

    /// Sets what the entries of an `.http` file do not say themselves.
    /// - Parameter variables: those that are known before the run. A host may need them.
    func apply(to file: inout RequestFile, _ variables: FileVariables) {
        guard FileFormat(path: file.path) == .http else { return }
        file.entries = file.entries.map { entry in
            var entry = entry
            func add(_ name: String, _ value: String) {
                entry.standardOptions.append(
                    FileEntry.Option(name: name, value: TemplateText(value), place: entry.place))
            }
            for option in options { add(option.name, option.value) }
            for field in fields where !entry.fields.contains(where: { $0.name.source.isSameName(as: field.name) }) {
                entry.fields.append(
                    FileEntry.Field(
                        name: TemplateText(field.name), value: TemplateText(parsing: field.value, at: entry.place),
                        place: entry.place))
            }
            if !certificates.isEmpty, let certificate = certificate(for: entry, variables) {
                let passphrase = certificate.passphrase.map { ":\($0)" } ?? ""
                add("cert", certificate.path.replacing(":", with: "\\:") + passphrase)
                if let key = certificate.key { add("key", key) }
            }
            return entry
        }
    }

    private func certificate(for entry: FileEntry, _ variables: FileVariables) -> Certificate? {
        let host = entry.fields.first { $0.name.source.isSameName(as: "host") }
            .flatMap { try? variables.text(of: $0.value) }
        guard let url = try? variables.text(of: entry.url),
            let uri = Request(.get, url: EntryRequest.whole(url, host: host)).uri
        else { return nil }
        return certificates["\(uri.host):\(uri.port)"] ?? certificates[uri.authority] ?? certificates[uri.host]
    }
}

extension String {
    fileprivate func isSameName(as other: String) -> Bool { lowercased() == other.lowercased() }
}
