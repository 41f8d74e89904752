// CallDetail: everything about one call, for the page.

import Tsubame
package import TsubameCore
import TsubamePlatform

/// Everything about one call. Secrets are withheld unless the caller asks for them.
package struct CallDetail: Sendable, Encodable {
    /// An event of the call in words.
    package struct Line: Sendable, Encodable {
        /// In milliseconds since the start of the call.
        package var time: Double
        package var name: String
        package var text: String
        /// Whether the client decided something.
        package var isDecision: Bool
    }

    package struct Connection: Sendable, Encodable {
        package var id: UInt64
        package var remoteAddress: String
        package var localAddress: String
        package var proxy: String?
        package var version: String
        package var isReused: Bool
        package var tls: String?
        package var applicationProtocol: String?
        package var cipherSuite: String?
        package var certificate: Certificate?
    }

    /// A certificate of a server.
    package struct Certificate: Sendable, Encodable {
        package var subject: String
        package var issuer: String
        /// The hosts and addresses that it is for.
        package var names: [String]
        /// The first and the last moment, as in an HTTP date.
        package var validFrom: String
        package var validUntil: String
        package var publicKeyPin: String
    }

    package struct Failure: Sendable, Encodable {
        package var kind: String
        package var phase: String
        package var reason: String
        package var advice: String?
        package var attempts: Int
        package var text: String
    }

    package var row: CallRow
    package var events: [Line]
    /// The requests that were sent, and their responses.
    package var attempts: [HTTPArchive.Entry]
    package var connections: [Connection]
    package var failure: Failure?
    /// The request for other programs.
    package var curl: String
    package var swift: String
    package var tsubame: String
    /// The lines of a stub that answers as the servers of this call did.
    package var stub: String

    package init(_ call: LoggedCall, showsSecrets: Bool = false) async {
        row = CallRow(call)
        events = call.events.compactMap { event in
            event.kind.line.map { line in
                Line(
                    time: Double(event.time / 1000) / 1000, name: line.name, text: line.text,
                    isDecision: line.isDecision)
            }
        }
        if call.skipped > 0 {
            let text = "\(call.skipped) more events were not kept"
            events.append(Line(time: Double(call.duration / 1000) / 1000, name: "log", text: text, isDecision: false))
        }
        attempts = await call.entries(showsSecrets: showsSecrets)
        var connections: [UInt64: Connection] = [:]
        var error: CallError?
        for event in call.events {
            switch event.kind {
            case .connected(let info), .secured(let info), .reused(let info): connections[info.id] = Connection(info)
            case .failed(let last):
                error = last
                failure = Failure(
                    kind: last.kind.rawValue, phase: "\(last.phase)", reason: last.reason, advice: last.advice,
                    attempts: last.attempts, text: "\(last)")
            default: break
            }
        }
        self.connections = connections.values.sorted { $0.id < $1.id }
        // The request as it was sent has the base URL and the client's fields.
        let request = call.withRecordedBody(call.firstSent ?? call.lastRequest)
        // No line can send the request of an archive that the client cannot send.
        let isSendable = request.uri != nil && request.shownMethod == request.method.rawValue
        curl = isSendable ? request.curl(showingSecrets: showsSecrets) : ""
        swift = isSendable ? request.swift(showingSecrets: showsSecrets) : ""
        tsubame = isSendable ? request.tsubame(showingSecrets: showsSecrets) : ""
        stub = LoggedCall.stub(of: attempts, failure: error)
    }
}

extension CallDetail.Connection {
    fileprivate init(_ info: ConnectionInfo) {
        id = info.id
        remoteAddress = info.remoteAddress
        localAddress = info.localAddress
        proxy = info.proxy
        version = info.version.description
        isReused = info.isReused
        tls = info.tls?.version
        applicationProtocol = info.tls?.applicationProtocol
        cipherSuite = info.tls?.cipherSuite
        certificate = info.tls?.certificate.flatMap { CallDetail.Certificate($0) }
    }
}

extension LoggedCall {
    /// The URI that was asked for over a connection.
    func uri(ofConnection id: UInt64) -> TargetURI? {
        for attempt in attempts {
            let events = events[attempt.events]
            let isThere = events.contains {
                switch $0.kind {
                case .connected(let info), .secured(let info), .reused(let info): info.id == id
                default: false
                }
            }
            guard isThere else { continue }
            for event in events {
                if case .sent(let request) = event.kind { return request.uri }
            }
        }
        return nil
    }
}

extension CallDetail.Certificate {
    /// The most names that are shown.
    private static let mostNames = 100

    /// nil if the certificate cannot be read.
    init?(_ certificate: ServerCertificate) {
        guard let details = CertificateDetails(der: Array(certificate.der)) else { return nil }
        subject = Redaction.name(details.subjectName)
        issuer = Redaction.name(details.issuerName)
        let names = (details.hostNames ?? []).map { Redaction.name($0) }
        let addresses = details.addresses.compactMap { IPAddress(bytes: $0)?.text }
        self.names = Array((names + addresses).prefix(Self.mostNames))
        validFrom = HTTPDate.format(details.notBefore)
        validUntil = HTTPDate.format(details.notAfter)
        publicKeyPin = certificate.publicKeyPin
    }
}

extension CallEvent.Kind {
    /// The event in words, without secrets; nil for events that only measure.
    package var line: (name: String, text: String, isDecision: Bool)? {
        switch self {
        case .started(let request): ("start", request.summary, false)
        case .queued(let why): ("connection", "waits for a connection: \(why)", true)
        case .resolving(let host): ("dns", "looks up \(host)", false)
        case .resolved(let addresses):
            ("dns", addresses.isEmpty ? "no address" : addresses.joined(separator: ", "), false)
        case .connecting(let address): ("connect", "connects to \(address)", false)
        case .connected(let info): ("connect", "connection \(info.id): \(info)", false)
        case .securing: ("tls", "begins the TLS handshake", false)
        case .secured(let info): ("tls", "connection \(info.id): \(info)", false)
        case .reused(let info): ("connection", "connection \(info.id) was open: \(info)", true)
        case .sent(let request): ("sent", request.summary, false)
        case .informational(let status, _): ("received", "informational \(status)", false)
        case .headReceived(let response): ("received", "\(response.statusWords)", false)
        case .resending(let request, let why, let delay):
            (
                "again",
                "\(why.cause): \(why); next \(request.summary)\(delay > .zero ? " after \(delay.nanosecondsClamped / 1_000_000) ms" : "")",
                true
            )
        case .caching(let text): ("cache", text, true)
        case .decision(let text): ("decision", text, true)
        case .finished(let response): ("end", "\(response.statusWords)", false)
        case .failed(let error): ("failed", "\(error.kind.rawValue): \(error.reason)", false)
        case .cancelled: ("cancelled", "cancelled", false)
        case .sending, .receiving, .requestBody, .responseBody: nil
        }
    }
}
