// OutgoingRequest: a request as the engine sends it.

import TsubameCore

/// The parts of a request that stay the same however often the engine sends it.
struct OutgoingRequest {
    let request: Request
    let uri: TargetURI
    let call: Call
    let key: ConnectionKey
    /// Whether the call runs on another thread than the loop of the exchange. The loop pool counts such exchanges.
    let isFromElsewhere: Bool
    /// Whether the request may be sent again. Asking the request itself would copy it.
    let mayBeReplayed: Bool
    let isObserved: Bool
    /// How many bytes of each body the observers want to be told.
    let shownBytes: Int

    @inline(__always)
    init(_ request: Request, uri: TargetURI, call: Call, key: ConnectionKey, isFromElsewhere: Bool) {
        mayBeReplayed = request.mayBeReplayed
        self.request = request
        self.uri = uri
        self.call = call
        self.key = key
        self.isFromElsewhere = isFromElsewhere
        isObserved = call.isObserved
        shownBytes = isObserved ? call.observedBodyBytes : 0
    }
}
