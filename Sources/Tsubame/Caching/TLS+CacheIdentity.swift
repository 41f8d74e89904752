// TLS+CacheIdentity: a text of the settings of TLS that is the same in each process.

import TsubameCore
import TsubamePlatform
import TsubameWire

extension ConnectionSettings.TLS {
    /// The same text for equal settings and for no others; nil if a closure takes part, a file that cannot be read, or a setting
    /// that is not named here. Files count by their content. The text holds secrets, so only a digest of it may be kept.
    var cacheText: String? {
        var rest = self
        rest.roots = .system
        rest.verification = .full
        (rest.minimumVersion, rest.maximumVersion) = (.tls12, .tls13)
        rest.cipherSuites = nil
        rest.minimumRSABits = Self().minimumRSABits
        rest.identity = nil
        rest.pins = [:]
        guard rest == Self(), let rootsText else { return nil }
        var identityText = ""
        if let identity {
            guard let text = identity.cacheText else { return nil }
            identityText = text
        }
        let pins = pins.map { "\($0.key.debugDescription) \($0.value.pins.sorted())" }.sorted()
        return [
            rootsText, "\(verification)", "\(minimumVersion) \(maximumVersion)",
            cipherSuites.map { "\($0.map(\.number))" } ?? "", "\(minimumRSABits)", identityText, "\(pins)",
        ].joined(separator: " ")
    }

    private var rootsText: String? {
        switch roots {
        case .system: "system"
        case .pem(let text): "only \(CacheIdentity.digest(text))"
        case .file(let path): ContentDigest.of(path).map { "only \($0)" }
        case .systemAnd(let path): ContentDigest.of(path).map { "system and \($0)" }
        }
    }
}

extension ConnectionSettings.TLS.Identity {
    fileprivate var cacheText: String? {
        func text(_ source: Source) -> String? {
            switch source {
            case .pem(let text): CacheIdentity.digest(text)
            case .file(let path): ContentDigest.of(path)
            }
        }
        guard let chain = text(chain), let key = text(key) else { return nil }
        return "\(chain) \(key) \(passphrase?.debugDescription ?? "nil")"
    }
}

private enum ContentDigest {
    /// The digest of a file's content; nil if it cannot be read, or can be read only once.
    static func of(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return (try? FileDigest.sha256(of: path, while: {})).map(Hexadecimal.text)
    }
}

enum CachePath {
    /// The path from the root, quoted. Programs that run in different folders may use files of the same name.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path.debugDescription }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)".debugDescription
    }
}
