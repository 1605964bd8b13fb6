/*
 * ptxvm.hpp - libptxvm for C++17: objects that give back what they hold, typed arguments, exceptions.
 *
 *     ptx::device device;
 *     ptx::program program(device, ptx::module(text, "square.ptx"));
 *     ptx::buffer<unsigned> numbers(device, {1, 2, 3, 4});
 *     program.kernel("square").launch({1}, {4}, numbers, 4u);
 *     std::vector<unsigned> result = numbers.read();
 *
 * It is a layer over ptxvm.h and ptx_stream.h in one header; get() of every object is what the C functions
 * take, for all that has no name here. A status that is not PTX_OK is thrown as ptx::error, or what is
 * derived from it. Arguments are held against the kernel's .param list when they are given: their number,
 * sizes, and floating point against integers.
 *
 * Objects are moved, not copied, and must not outlive the device they are of. Threads: as the C functions.
 * What a function given to stream::call or device::watch throws is kept, and thrown by the next wait() of the
 * device or its streams.
 */
#ifndef PTXVM_HPP
#define PTXVM_HPP

#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#include "ptx_stream.h"
#include "ptx_check.h"
#include "ptx_launches.h"
#include "ptx_watch.h"

namespace ptx {

/* ---- what goes wrong ------------------------------------------------ */

class error : public std::runtime_error {
  public:
    error(ptx_status status, const std::string &text)
        : std::runtime_error(text.empty() ? ptx_status_name(status) : text), status_(status)
    {
    }
    ptx_status status() const noexcept { return status_; }

  private:
    ptx_status status_;
};

struct diagnostic {
    ptx_severity severity;
    std::string code, message, note, file;
    unsigned line, column;
};

/* The text is not legal PTX. */
class assembly_error : public error {
  public:
    explicit assembly_error(std::vector<diagnostic> found)
        : error(PTX_ERROR_ASSEMBLY, words(found)), diagnostics_(std::move(found))
    {
    }
    const std::vector<diagnostic> &diagnostics() const noexcept { return diagnostics_; }

  private:
    static std::string words(const std::vector<diagnostic> &found)
    {
        std::string text;
        for (const diagnostic &d : found)
            if (d.severity >= PTX_ERROR)
                text += (text.empty() ? "" : "\n") + d.file + ":" + std::to_string(d.line) + ": " + d.message;
        return text;
    }
    std::vector<diagnostic> diagnostics_;
};

/* A kernel stopped: the report (ptx_fault) with strings of its own. */
class fault : public error {
  public:
    fault(ptx_status status, const ptx_fault &f)
        : error(status, text(f.message)), cuda_error(f.cuda_error), name(text(f.name)),
          instruction(text(f.instruction)), file(text(f.file)), source(text(f.source)),
          kernel(text(f.kernel)), function(text(f.function)), calls(text(f.calls)),
          launched_by(text(f.launched_by)), allocation(text(f.allocation)), state(text(f.state)),
          line(f.line),
          column(f.column), cta{f.cta[0], f.cta[1], f.cta[2]}, thread{f.thread[0], f.thread[1], f.thread[2]},
          address(f.address)
    {
    }
    int cuda_error;
    std::string name, instruction, file, source, kernel, function, calls, launched_by, allocation, state;
    unsigned line, column, cta[3], thread[3];
    ptx_address address;

  private:
    static std::string text(const char *s) { return s ? s : ""; }
};

inline void check(ptx_status status, const char *message = nullptr)
{
    if (status != PTX_OK) throw error(status, message ? message : "");
}

namespace detail {

template <class T, void (*Destroy)(T *)> struct destroyer {
    void operator()(T *object) const noexcept { Destroy(object); }
};

/* A struct of the C interface that begins with its size. */
template <class T> T sized() noexcept
{
    T s{};
    s.struct_size = sizeof s;
    return s;
}

inline ptx_fault no_fault() noexcept
{
    return sized<ptx_fault>();
}

/* Functions of the caller's that the library calls, and the first exception of one. */
class callbacks {
  public:
    struct host {
        std::function<void()> fn;
        callbacks *of;
    };
    host *add(std::function<void()> fn)
    {
        auto one = std::make_unique<host>(host{std::move(fn), this});
        const std::lock_guard<std::mutex> hold(lock_);
        waiting_.push_back(std::move(one));
        return waiting_.back().get();
    }
    std::unique_ptr<host> take(const host *one) noexcept
    {
        const std::lock_guard<std::mutex> hold(lock_);
        std::size_t i = 0;
        while (waiting_[i].get() != one) i++;
        std::swap(waiting_[i], waiting_.back());
        std::unique_ptr<host> taken = std::move(waiting_.back());
        waiting_.pop_back();
        return taken;
    }
    void keep() noexcept
    {
        const std::lock_guard<std::mutex> hold(lock_);
        if (!first_) first_ = std::current_exception();
    }
    void rethrow()
    {
        std::unique_lock<std::mutex> hold(lock_);
        const std::exception_ptr e = std::exchange(first_, nullptr);
        hold.unlock();
        if (e) std::rethrow_exception(e);
    }
    static void called(void *user) noexcept
    {
        const host *given = static_cast<host *>(user);
        const std::unique_ptr<host> one = given->of->take(given);
        try {
            one->fn();
        } catch (...) {
            one->of->keep();
        }
    }

  private:
    std::mutex lock_;
    std::vector<std::unique_ptr<host>> waiting_;
    std::exception_ptr first_;
};

/* What objects of a device know of it; it stays right when the device object is moved. */
struct home {
    ptx_device *device;
    detail::callbacks *calls;

    /* Throws what a call came to. */
    void finish(ptx_status status, const ptx_fault &f) const
    {
        calls->rethrow();
        if (status == PTX_OK) return;
        if (f.name) throw fault(status, f);
        throw error(status, ptx_device_message(device));
    }
};

} // namespace detail

/* ---- modules -------------------------------------------------------- */

struct parameter {
    std::string name, type;
    std::size_t offset, size, count;
};

/* A checked PTX text. */
class module {
  public:
    explicit module(std::string_view text, const char *file_name = nullptr)
    {
        ptx_module_options options = detail::sized<ptx_module_options>();
        ptx_module *made = nullptr;
        options.file_name = file_name;
        const ptx_status status = ptx_module_create(&options, text.data(), text.size(), &made);
        handle_.reset(made);
        if (status == PTX_ERROR_ASSEMBLY) throw assembly_error(diagnostics());
        check(status);
    }
    ptx_module *get() const noexcept { return handle_.get(); }

    std::vector<diagnostic> diagnostics() const
    {
        std::vector<diagnostic> all;
        for (std::size_t i = 0; i < ptx_module_diagnostic_count(get()); i++) {
            ptx_diagnostic d = detail::sized<ptx_diagnostic>();
            check(ptx_module_diagnostic(get(), i, &d));
            all.push_back({d.severity, d.code, d.message, d.note ? d.note : "", d.file, d.line, d.column});
        }
        return all;
    }

    /* The .param lists of its kernels, by name. */
    std::map<std::string, std::vector<parameter>> kernels() const
    {
        std::map<std::string, std::vector<parameter>> all;
        for (std::size_t i = 0; i < ptx_module_kernel_count(get()); i++) {
            ptx_kernel_info info = detail::sized<ptx_kernel_info>();
            check(ptx_module_kernel(get(), i, &info));
            std::vector<parameter> &list = all[info.name];
            for (std::size_t p = 0; p < info.param_count; p++) {
                ptx_param_info q = detail::sized<ptx_param_info>();
                check(ptx_module_kernel_param(get(), i, p, &q));
                list.push_back({q.name, q.type, q.offset, q.size, q.count});
            }
        }
        return all;
    }

  private:
    std::unique_ptr<ptx_module, detail::destroyer<ptx_module, ptx_module_destroy>> handle_;
};

/* ---- devices -------------------------------------------------------- */

/* ptx_device_config with its size set; zeros ask for the defaults. */
inline ptx_device_config device_config() noexcept
{
    return detail::sized<ptx_device_config>();
}

class device {
  public:
    explicit device(ptx_device_config config = device_config())
        : calls_(std::make_unique<detail::callbacks>())
    {
        char why[200] = "";
        ptx_device *made = nullptr;
        if (!config.error) {
            config.error = why;
            config.error_bytes = sizeof why;
        }
        check(ptx_device_create(&config, &made), config.error);
        handle_.reset(made);
    }
    ptx_device *get() const noexcept { return handle_.get(); }
    const char *message() const noexcept { return ptx_device_message(get()); }
    void interrupt() noexcept { ptx_device_interrupt(get()); }

    /* Until nothing is under way; throws the first failure that nobody was told of. */
    void wait()
    {
        ptx_fault f = detail::no_fault();
        const ptx_status status = ptx_device_wait(get(), &f);
        home().finish(status, f);
    }

    /* Calls `fn` for all that happens from now on; an empty function ends it. It must not use the device. */
    void watch(std::function<void(const ptx_watch_event &)> fn)
    {
        auto next = fn ? std::make_unique<watcher>(watcher{std::move(fn), calls_.get()}) : nullptr;
        check(ptx_device_watch(get(), next ? told : nullptr, next.get()), "work is under way");
        watcher_ = std::move(next);
    }

    /* Calls `fn` for each launch of a device that keeps a list of them, as the three that follow
     * (ptx_launches.h). What `fn` throws is thrown here. */
    template <class F> void launches(F &&fn) const
    {
        each<ptx_launch_record>(ptx_device_launches, fn, "no list of launches");
    }
    /* Calls `fn` for each finding of a device that checks (ptx_check.h). What `fn` throws is thrown here. */
    template <class F> void findings(F &&fn) const
    {
        each<ptx_check_finding>(ptx_device_findings, fn, "no checks, or work is under way");
    }
    std::string launches_text(ptx_launches_form form = PTX_LAUNCHES_TEXT) const
    {
        std::string text;
        const auto write = [](void *user, const char *piece, std::size_t size) {
            static_cast<std::string *>(user)->append(piece, size);
            return 0;
        };
        check(ptx_device_launches_write(get(), form, write, &text), "no list of launches");
        return text;
    }
    void clear_launches() { check(ptx_device_launches_clear(get()), "no list of launches"); }
    /* Throws, with the reason, unless kernels launched what the pattern says. */
    void expect_launch(const std::string &pattern) const
    {
        char why[4096];
        check(ptx_device_expect_launch(get(), pattern.c_str(), why, sizeof why), why);
    }

    detail::home home() const noexcept { return {get(), calls_.get()}; }

  private:
    /* Lets `ask` call `fn` for each record; what it throws is thrown here. */
    template <class Record, class F, class Ask> void each(Ask ask, F &fn, const char *why) const
    {
        struct call {
            F &fn;
            std::exception_ptr thrown;
        } c{fn, nullptr};
        const auto tell = [](void *user, const Record *record) {
            call *of = static_cast<call *>(user);
            if (of->thrown) return;
            try {
                of->fn(*record);
            } catch (...) {
                of->thrown = std::current_exception();
            }
        };
        check(ask(get(), tell, &c), why);
        if (c.thrown) std::rethrow_exception(c.thrown);
    }

    struct watcher {
        std::function<void(const ptx_watch_event &)> fn;
        detail::callbacks *calls;
    };
    static void told(void *user, const ptx_watch_event *event) noexcept
    {
        watcher *w = static_cast<watcher *>(user);
        try {
            w->fn(*event);
        } catch (...) {
            w->calls->keep();
        }
    }
    /* The handle goes first: leaks are told while the device is destroyed. */
    std::unique_ptr<detail::callbacks> calls_;
    std::unique_ptr<watcher> watcher_;
    std::unique_ptr<ptx_device, detail::destroyer<ptx_device, ptx_device_destroy>> handle_;
};

/* Device memory for `size()` elements, zeroed; freed with the object. */
template <class T> class buffer {
    static_assert(std::is_trivially_copyable_v<T>, "device memory holds plain data");

  public:
    buffer(const device &of, std::size_t count) : device_(of.get()), count_(count)
    {
        check(ptx_memory_alloc(device_, bytes(), &address_), "out of device memory");
    }
    buffer(const device &of, const std::vector<T> &values) : buffer(of, values.size()) { write(values); }
    buffer(const device &of, std::initializer_list<T> values) : buffer(of, std::vector<T>(values)) {}
    buffer(buffer &&other) noexcept
        : device_(other.device_), address_(std::exchange(other.address_, 0)),
          count_(std::exchange(other.count_, 0))
    {
    }
    buffer &operator=(buffer &&other) noexcept
    {
        std::swap(device_, other.device_);
        std::swap(address_, other.address_);
        std::swap(count_, other.count_);
        return *this;
    }
    ~buffer() { ptx_memory_free(device_, address_); }

    ptx_address address() const noexcept { return address_; }
    std::size_t size() const noexcept { return count_; }
    std::size_t bytes() const noexcept { return count_ * sizeof(T); }

    void write(const std::vector<T> &values, std::size_t first = 0)
    {
        if (values.empty()) return;
        check(
            ptx_memory_write(device_, address_ + first * sizeof(T), values.data(), values.size() * sizeof(T)),
            "beyond the end of the buffer");
    }
    std::vector<T> read() const
    {
        std::vector<T> values(count_);
        check(ptx_memory_read(device_, values.data(), address_, bytes()));
        return values;
    }

  private:
    ptx_device *device_;
    ptx_address address_ = 0;
    std::size_t count_;
};

/* ---- arguments ------------------------------------------------------ */

namespace detail {

template <class T> struct is_buffer : std::false_type {
};
template <class T> struct is_buffer<buffer<T>> : std::true_type {
};

/* Is a type of C++ one for a parameter? By size; a .f32 or .f64 wants floating point, a .u32 or .s64 no such.
 */
template <class T> bool fits(const parameter &p)
{
    if (sizeof(T) != p.size) return false;
    const char kind = p.count == 1 ? p.type[0] : 'b';
    if (kind == 'f' && sizeof(T) > 2) return std::is_floating_point_v<T>;
    return (kind != 'u' && kind != 's') || !std::is_floating_point_v<T>;
}

inline void refuse(const std::string &kernel, const parameter &p, std::size_t size)
{
    throw std::invalid_argument(kernel + ": parameter " + p.name + " is ." + p.type + " of " +
                                std::to_string(p.size) + " bytes, which an argument of another kind or of " +
                                std::to_string(size) + " bytes was given for");
}

template <class T>
void pack(std::vector<unsigned char> &raw, const std::string &kernel, const parameter &p, const T &value)
{
    if constexpr (is_buffer<T>::value) {
        pack(raw, kernel, p, value.address());
    } else {
        static_assert(std::is_trivially_copyable_v<T>, "kernels take plain data");
        static_assert(!std::is_pointer_v<T>, "kernels take device addresses: a buffer, or ptx_address");
        if (!fits<T>(p)) refuse(kernel, p, sizeof value);
        raw.resize(p.offset + p.size);
        std::memcpy(raw.data() + p.offset, &value, sizeof value);
    }
}

} // namespace detail

/* ---- streams -------------------------------------------------------- */

class event {
  public:
    explicit event(const device &of, unsigned flags = 0) : device_(of.get())
    {
        check(ptx_event_create(device_, flags, &number_));
    }
    event(event &&other) noexcept : device_(other.device_), number_(std::exchange(other.number_, 0)) {}
    event &operator=(event &&other) noexcept
    {
        std::swap(device_, other.device_);
        std::swap(number_, other.number_);
        return *this;
    }
    ~event() { ptx_event_destroy(device_, number_); }
    ptx_event get() const noexcept { return number_; }
    void wait() const { check(ptx_event_wait(device_, number_)); }
    /* Milliseconds from `start` to this. */
    double since(const event &start) const
    {
        double ms = 0;
        check(ptx_event_elapsed(device_, start.get(), number_, &ms));
        return ms;
    }

  private:
    ptx_device *device_;
    ptx_event number_ = 0;
};

class stream {
  public:
    explicit stream(const device &of, unsigned flags = 0, int priority = 0) : home_(of.home())
    {
        ptx_stream_config config = detail::sized<ptx_stream_config>();
        config.flags = flags;
        config.priority = priority;
        check(ptx_stream_create(of.get(), &config, &number_));
    }
    stream(stream &&other) noexcept : home_(other.home_), number_(std::exchange(other.number_, 0)) {}
    stream &operator=(stream &&other) noexcept
    {
        std::swap(home_, other.home_);
        std::swap(number_, other.number_);
        return *this;
    }
    ~stream()
    {
        if (number_) ptx_stream_destroy(home_.device, number_);
    }
    ptx_stream get() const noexcept { return number_; }

    /* Until all it was given is done; throws the first failure that nobody was told of. */
    void wait() const
    {
        ptx_fault f = detail::no_fault();
        const ptx_status status = ptx_stream_wait(home_.device, number_, &f);
        home_.finish(status, f);
    }
    bool done() const
    {
        const ptx_status status = ptx_stream_query(home_.device, number_);
        if (status != PTX_ERROR_NOT_READY) check(status);
        return status == PTX_OK;
    }
    void record(const event &e) const { check(ptx_event_record(home_.device, e.get(), number_)); }
    void wait_for(const event &e) const { check(ptx_stream_wait_event(home_.device, number_, e.get())); }

    /* Calls `fn` when what is in the stream is done, from another thread; it must not wait for the device. */
    void call(std::function<void()> fn) const
    {
        auto *one = home_.calls->add(std::move(fn));
        const ptx_status status = ptx_stream_host(home_.device, number_, detail::callbacks::called, one);
        if (status != PTX_OK) home_.calls->take(one);
        check(status);
    }

  private:
    detail::home home_;
    ptx_stream number_ = 0;
};

/* ---- programs ------------------------------------------------------- */

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

/* Of a program, which it must not outlive. */
class kernel {
  public:
    ptx_kernel *get() const noexcept { return handle_; }
    const std::string &name() const noexcept { return name_; }

    /* ptx_launch_config with its size set, for limits, dynamic shared memory and the like. */
    static ptx_launch_config config() noexcept { return detail::sized<ptx_launch_config>(); }

    /* Launches and waits; a fault is thrown. */
    template <class... Args> void launch(dim3 grid, dim3 block, const Args &...args) const
    {
        launch_with(config(), grid, block, args...);
    }
    template <class... Args>
    void launch_with(ptx_launch_config c, dim3 grid, dim3 block, const Args &...args) const
    {
        const std::vector<unsigned char> raw = shape(c, grid, block, args...);
        ptx_fault f = detail::no_fault();
        const ptx_status status = ptx_kernel_launch(handle_, &c, &f);
        home_.finish(status, f);
    }

    /* Puts a launch into a stream and returns. */
    template <class... Args> void submit(const stream &to, dim3 grid, dim3 block, const Args &...args) const
    {
        submit_with(config(), to, grid, block, args...);
    }
    template <class... Args>
    void submit_with(ptx_launch_config c, const stream &to, dim3 grid, dim3 block, const Args &...args) const
    {
        const std::vector<unsigned char> raw = shape(c, grid, block, args...);
        const ptx_status status = ptx_kernel_submit(handle_, &c, to.get(), nullptr);
        if (status != PTX_OK) throw error(status, ptx_device_message(home_.device));
    }

  private:
    friend class program;
    kernel(const detail::home &of, ptx_kernel *handle, std::string name, const std::vector<parameter> &params)
        : home_(of), handle_(handle), name_(std::move(name)), params_(&params)
    {
    }
    /* The parameter buffer, which the config points to. */
    template <class... Args>
    std::vector<unsigned char> shape(ptx_launch_config &c, dim3 grid, dim3 block, const Args &...args) const
    {
        std::vector<unsigned char> raw;
        if (sizeof...(args) != params_->size())
            throw std::invalid_argument(name_ + " takes " + std::to_string(params_->size()) + " arguments, " +
                                        std::to_string(sizeof...(args)) + " were given");
        [[maybe_unused]] std::size_t i = 0;
        (detail::pack(raw, name_, (*params_)[i++], args), ...);
        const unsigned g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
        std::memcpy(c.grid, g, sizeof g);
        std::memcpy(c.block, b, sizeof b);
        c.params = raw.data();
        c.param_bytes = raw.size();
        return raw; /* moved: its bytes stay where they are */
    }
    detail::home home_;
    ptx_kernel *handle_;
    std::string name_;
    const std::vector<parameter> *params_;
};

/* Modules linked for a device. */
class program {
  public:
    program(const device &of, const module &one) : program(of, std::vector<const module *>{&one}) {}
    program(const device &of, const std::vector<const module *> &modules) : home_(of.home())
    {
        std::vector<const ptx_module *> raw;
        ptx_program *made = nullptr;
        for (const module *m : modules) raw.push_back(m->get());
        check(ptx_program_create(of.get(), raw.data(), raw.size(), nullptr, &made), of.message());
        handle_.reset(made);
        for (const module *m : modules) params_->merge(m->kernels());
    }
    ptx_program *get() const noexcept { return handle_.get(); }

    ptx::kernel kernel(const std::string &name) const
    {
        ptx_kernel *found = nullptr;
        const std::string none = "no kernel '" + name + "'";
        check(ptx_program_kernel(get(), name.c_str(), &found), none.c_str());
        return ptx::kernel(home_, found, name, params_->at(name));
    }

    /* Address and bytes of a .global or .const variable. */
    std::pair<ptx_address, std::uint64_t> variable(const std::string &name) const
    {
        std::pair<ptx_address, std::uint64_t> found;
        const std::string none = "no variable '" + name + "'";
        check(ptx_program_variable(get(), name.c_str(), &found.first, &found.second), none.c_str());
        return found;
    }

  private:
    using lists = std::map<std::string, std::vector<parameter>>;
    detail::home home_;
    std::unique_ptr<lists> params_ = std::make_unique<lists>(); /* stays where it is: kernels point to it */
    std::unique_ptr<ptx_program, detail::destroyer<ptx_program, ptx_program_destroy>> handle_;
};

} // namespace ptx
#endif
