// CallError+Transience: the one classification of failures by what another attempt may bring.

import TsubameCore

/// The prospect of another attempt after a failure.
enum Transience: Sendable, Hashable {
    /// The same failure.
    case permanent
    /// A success: the server was not reached, or the connection broke before the response was there.
    case connection
    /// A success for a transfer that continues where the attempt stopped. To send the whole request again is no help.
    case interruption
    /// A success in another call only: the time of this one is over.
    case expiry

    /// Whether the call itself may continue a transfer.
    var mayContinue: Bool { self == .connection || self == .interruption }
}

extension CallError {
    /// The prospect of another attempt.
    var transience: Transience {
        if let isTransient { return isTransient ? .connection : .permanent }
        switch kind {
        case .connectionFailed, .connectionLost, .emptyReply, .incompleteResponse: return .connection
        case .timeout:
            switch timeout {
            case .connect, .tls: return .connection
            case .total: return .expiry
            default: return .interruption
            }
        // A handshake that fails will fail again, but a fault in the middle of a transfer comes from the network.
        case .tls:
            let isTransfer = [.sendingHead, .sendingBody, .waitingForHead, .receivingBody].contains(phase)
            return isTransfer ? .interruption : .permanent
        default: return .permanent
        }
    }
}
