// Declarations that Apple's library has and this system's lacks, or has in another form.

public import Glibc

extension sockaddr_in {
    public var sin_len: UInt8 {
        get { 0 }
        set {}
    }
}

extension sockaddr_in6 {
    public var sin6_len: UInt8 {
        get { 0 }
        set {}
    }
}

extension sockaddr_un {
    public var sun_len: UInt8 {
        get { 0 }
        set {}
    }
}

extension stat {
    public var st_mtimespec: timespec { st_mtim }
}

/// Apple's declaration says that the thread may be nil, and the argument may not.
public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 { 0 }

/// Apple's types of sockets are numbers.
public func socket(_ family: Int32, _ type: __socket_type, _ protocol: Int32) -> Int32 { -1 }
