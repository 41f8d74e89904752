// AWSSignature: the signature of a request to AWS, version 4, by the document “Create a signed AWS API request”.

import TsubameCore
import TsubameWire

/// Signs a request with a secret key, for one service in one region.
package struct AWSSignature: Sendable {
    /// The parts of a request that are signed.
    package struct Message: Sendable {
        package let method: String
        /// As they are sent, with percent-encoding; the query without its question mark.
        package let path: String
        package let query: String
        package let host: String
        /// The value of Content-Type; nil if the request has none.
        package let contentType: String?
        package let body: [UInt8]

        package init(
            method: String, path: String, query: String, host: String, contentType: String?, body: [UInt8]
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.host = host
            self.contentType = contentType
            self.body = body
        }
    }

    private let id: String
    private let secret: String
    private let token: String?
    private let region: String
    private let service: String

    /// - Parameters:
    ///   - scope: `aws:amz:region:service` as for curl. The host gives a region and a service that are missing.
    ///   - user: the key's ID and the secret key, with a colon between.
    ///   - token: the token of a session; nil for a lasting key.
    /// - Throws: ``ValueProblem`` if a part is missing and the host does not show it.
    package init(scope: String, user: String?, token: String?, host: String) throws(ValueProblem) {
        guard let user, let colon = user.firstIndex(of: ":"), colon > user.startIndex else {
            throw ValueProblem("a signature of AWS needs the key's ID and the secret key as user")
        }
        id = String(user[..<colon])
        secret = String(user[user.index(after: colon)...])
        self.token = token
        let parts = scope.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.first == "aws", parts.count <= 4 else {
            throw ValueProblem("aws-sigv4 is written aws:amz:region:service")
        }
        let found = Self.place(of: host)
        let region = parts.count > 2 && !parts[2].isEmpty ? parts[2] : found?.region
        let service = parts.count > 3 && !parts[3].isEmpty ? parts[3] : found?.service
        guard let region, let service else {
            throw ValueProblem("the host \(host) shows no region and no service of AWS, so both have to be given")
        }
        (self.region, self.service) = (region, service)
    }

    /// The region and the service of a host such as `sqs.eu-west-1.amazonaws.com`.
    private static func place(of host: String) -> (region: String, service: String)? {
        let name = host.lowercased().prefix { $0 != ":" }
        guard let end = [".amazonaws.com.cn", ".amazonaws.com"].first(where: { name.hasSuffix($0) }) else { return nil }
        let labels = name.dropLast(end.count).split(separator: ".").map(String.init)
        guard let last = labels.last else { return nil }
        // Some services have one host for all regions.
        if labels.count == 1 || last == "s3" { return ("us-east-1", last) }
        let service = labels[labels.count - 2]
        // A host of both IPv4 and IPv6, such as `s3.dualstack.eu-west-1.amazonaws.com`.
        if service == "dualstack", labels.count > 2 { return (last, labels[labels.count - 3]) }
        return (last, service)
    }

    /// The fields that the request needs in addition.
    package func fields(for message: Message, at date: FileDate) -> [(name: String, value: String)] {
        let time = date.formatted("%Y%m%dT%H%M%SZ") ?? ""
        let day = String(time.prefix(8))
        let digest = Hexadecimal.text(SHA256.digest(message.body))
        var signed = [("host", message.host), ("x-amz-date", time)]
        if let type = message.contentType { signed.append(("content-type", type)) }
        if let token { signed.append(("x-amz-security-token", token)) }
        if service == "s3" { signed.append(("x-amz-content-sha256", digest)) }
        signed.sort { $0.0 < $1.0 }
        let names = signed.map(\.0).joined(separator: ";")
        let canonical = [
            message.method, canonicalPath(message.path), Self.canonicalQuery(message.query),
            signed.map { "\($0.0):\(Self.oneBlank($0.1))\n" }.joined(), names, digest,
        ].joined(separator: "\n")
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(Hexadecimal.text(SHA256.digest(Array(canonical.utf8))))"
        var key = Self.code(Array("AWS4\(secret)".utf8), day)
        for part in [region, service, "aws4_request"] { key = Self.code(key, part) }
        let signature = Hexadecimal.text(Self.code(key, text))
        var fields = [("X-Amz-Date", time)]
        if let token { fields.append(("X-Amz-Security-Token", token)) }
        if service == "s3" { fields.append(("X-Amz-Content-Sha256", digest)) }
        return fields + [
            (
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=\(id)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
            )
        ]
    }

    /// Every service but S3 encodes the path once more, and takes several slashes for one.
    private func canonicalPath(_ path: String) -> String {
        if service == "s3" || path.isEmpty { return path.isEmpty ? "/" : path }
        let segments = path.split(separator: "/").map { PercentEncoding.encode(Array($0.utf8)) }
        let end = path.hasSuffix("/") && !segments.isEmpty ? "/" : ""
        return "/" + segments.joined(separator: "/") + end
    }

    /// The pairs in their order, each with percent-encoding.
    private static func canonicalQuery(_ query: String) -> String {
        let pairs = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                part -> String in
                let text = part.replacing("+", with: " ")
                return PercentEncoding.encode(PercentEncoding.decodeBytes(text) ?? Array(text.utf8))
            }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        return pairs.sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }.map { "\($0.0)=\($0.1)" }
            .joined(separator: "&")
    }

    private static func oneBlank(_ value: String) -> String { value.split(separator: " ").joined(separator: " ") }

    /// The code that authenticates a text (HMAC-SHA-256, RFC 2104).
    private static func code(_ key: [UInt8], _ text: String) -> [UInt8] {
        let block = 64
        var key = key.count > block ? SHA256.digest(key) : key
        key += [UInt8](repeating: 0, count: block - key.count)
        let inner = SHA256.digest(key.map { $0 ^ 0x36 } + Array(text.utf8))
        return SHA256.digest(key.map { $0 ^ 0x5C } + inner)
    }
}
