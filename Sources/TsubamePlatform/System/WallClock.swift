// WallClock: the time of day.

package enum WallClock {
    /// The milliseconds since 1970.
    package static var now: Double {
        #if os(WASI)
        // Swift cannot name the clocks of WASI's C library, and its own library has no time of day.
        return 0
        #else
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
        #endif
    }
}
