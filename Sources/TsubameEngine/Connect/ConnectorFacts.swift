// ConnectorFacts: the times of the steps of a connector.

import TsubamePlatform

/// What a connector measured, for the timings of the exchange that it was made for.
struct ConnectorFacts {
    var resolvedAt: MonotonicTime = 0
    var connectedAt: MonotonicTime = 0
    var securedAt: MonotonicTime = 0
}
