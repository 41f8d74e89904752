// The errors of URLSession as errors of a call.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Tsubame

extension CallError {
    /// - Parameter phase: the phase in which the error came, as far as the exchange knows.
    init(_ error: any Error, phase: Phase) {
        let code = (error as? URLError)?.code ?? .unknown
        let hasHead = phase == .receivingBody
        var advice: String?
        let (kind, place): (Kind, Phase)
        switch code {
        case .cancelled, .userCancelledAuthentication: (kind, place) = (.cancelled, phase)
        case .cannotFindHost, .dnsLookupFailed: (kind, place) = (.nameResolution, .resolving)
        case .cannotConnectToHost: (kind, place) = (.connectionFailed, .connecting)
        case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed:
            (kind, place) = (.connectionFailed, .connecting)
            advice = "set waitsForConnectivity, or allow this network in the URLSessionConfiguration"
        case .appTransportSecurityRequiresSecureConnection:
            (kind, place) = (.unsupported, .connecting)
            advice = "use https, or add an exception to NSAppTransportSecurity"
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            (kind, place) = (.tls, .securing)
        case .cannotDecodeRawData, .cannotDecodeContentData: (kind, place) = (.contentCoding, .receivingBody)
        case .dataLengthExceedsMaximum: (kind, place) = (.limitExceeded, phase)
        case .cannotParseResponse: (kind, place) = (.invalidResponse, phase)
        case .badServerResponse where !isFoundationNetworking: (kind, place) = (.invalidResponse, phase)
        // The scheme is http or https, so FoundationNetworking means the protocol of the response.
        case .unsupportedURL where !hasHead: (kind, place) = (.invalidResponse, phase)
        default:
            let told = Self.kind(ofText: error.localizedDescription, phase)
            (kind, place) = told ?? (hasHead ? .incompleteResponse : .connectionLost, phase)
        }
        self.init(kind, "URLSession: \(error.localizedDescription)", phase: place, advice: advice, underlying: error)
    }

    /// FoundationNetworking gives most errors of libcurl no code, but only libcurl's words.
    private static func kind(ofText text: String, _ phase: Phase) -> (Kind, Phase)? {
        guard isFoundationNetworking, phase == .waitingForHead else { return nil }
        // A connection that was lost after the handshake.
        if text.contains("SSL_read") || text.contains("SSL_write") { return nil }
        if text.contains("SSL") || text.contains("certificate") { return (.tls, .securing) }
        // libcurl's word for a head of more than 300 KiB, or a line of more than 100 KiB.
        if text == "Out of memory" { return (.limitExceeded, phase) }
        return nil
    }
}

/// FoundationNetworking says `badServerResponse` for a connection that broke, too.
private var isFoundationNetworking: Bool {
    #if canImport(FoundationNetworking)
    true
    #else
    false
    #endif
}
