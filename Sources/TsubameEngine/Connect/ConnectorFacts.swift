// ConnectorFacts: the times of the steps of a connector.

import TsubamePlatform

/// The measurements of a connector, for the timings of the exchange that it was made for.
struct ConnectorFacts {
    var resolvedAt: MonotonicTime = 0
    var connectedAt: MonotonicTime = 0
    var securedAt: MonotonicTime = 0
    /// How often a tunnel was asked for on another connection than the one that its proxy had answered on.
    var renewals = 0
}
