! embed.f90 - libptxvm in a Fortran program, by iso_c_binding: check PTX, run it, read the result, and see what a
! mistake looks like. The derived types are the C structs up to the fields that the first version had: struct_size 0
! says so, and later fields need not be declared.

module ptxvm
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: ptx_ok = 0, ptx_error_assembly = 3, ptx_error_fault = 7

  type, bind(c) :: ptx_diagnostic
    integer(c_size_t) :: struct_size = 0
    integer(c_int) :: severity
    type(c_ptr) :: code, message, note, file
    integer(c_int) :: line, column, length, follows
  end type

  type, bind(c) :: ptx_launch_config
    integer(c_size_t) :: struct_size = 0
    integer(c_int) :: grid(3) = 0, block(3) = 0, shared_bytes = 0
    type(c_ptr) :: params = c_null_ptr
    integer(c_size_t) :: param_bytes = 0
  end type

  type, bind(c) :: ptx_fault
    integer(c_size_t) :: struct_size = 0
    integer(c_int) :: cuda_error
    type(c_ptr) :: name, message, instruction, file
    integer(c_int) :: line, column, last_line, last_column
    type(c_ptr) :: source, kernel, function, calls, launched_by
    integer(c_int) :: cta(3), thread(3)
    integer(c_int64_t) :: address
    type(c_ptr) :: allocation, state
  end type

  interface
    integer(c_int) function ptx_module_create(options, text, bytes, module) bind(c)
      import
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: text(*)
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: module
    end function
    subroutine ptx_module_destroy(module) bind(c)
      import
      type(c_ptr), value :: module
    end subroutine
    integer(c_int) function ptx_module_diagnostic(module, at, diagnostic) bind(c)
      import
      type(c_ptr), value :: module
      integer(c_size_t), value :: at
      type(ptx_diagnostic), intent(inout) :: diagnostic
    end function
    integer(c_int) function ptx_device_create(config, device) bind(c)
      import
      type(c_ptr), value :: config
      type(c_ptr), intent(out) :: device
    end function
    subroutine ptx_device_destroy(device) bind(c)
      import
      type(c_ptr), value :: device
    end subroutine
    integer(c_int) function ptx_program_create(device, modules, count, options, program) bind(c)
      import
      type(c_ptr), value :: device, options
      type(c_ptr), intent(in) :: modules(*)
      integer(c_size_t), value :: count
      type(c_ptr), intent(out) :: program
    end function
    integer(c_int) function ptx_program_kernel(program, name, kernel) bind(c)
      import
      type(c_ptr), value :: program
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: kernel
    end function
    integer(c_int) function ptx_memory_alloc(device, bytes, address) bind(c)
      import
      type(c_ptr), value :: device
      integer(c_int64_t), value :: bytes
      integer(c_int64_t), intent(out) :: address
    end function
    integer(c_int) function ptx_memory_read(device, to, from, bytes) bind(c)
      import
      type(c_ptr), value :: device, to
      integer(c_int64_t), value :: from, bytes
    end function
    integer(c_int) function ptx_kernel_launch(kernel, config, fault) bind(c)
      import
      type(c_ptr), value :: kernel
      type(ptx_launch_config), intent(in) :: config
      type(ptx_fault), intent(inout) :: fault
    end function
  end interface

contains

  subroutine expect(status)
    integer(c_int), intent(in) :: status
    if (status == ptx_ok) return
    print '(a, i0)', 'status ', status
    error stop 1
  end subroutine

  ! A string of the library's.
  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: at(:)
    integer :: n
    text = ''
    if (.not. c_associated(pointer)) return
    call c_f_pointer(pointer, at, [10000])
    n = 0
    do while (at(n + 1) /= c_null_char)
      n = n + 1
      text = text // at(n)
    end do
  end function
end module

program embed
  use ptxvm
  implicit none
  character(1), parameter :: nl = new_line('a')
  character(*), parameter :: head = '.version 8.0' // nl // '.target sm_80' // nl // '.address_size 64' // nl
  character(*), parameter :: text = head // &
    '.visible .entry scale(.param .u64 x, .param .f64 a)' // nl // '{' // nl // &
    '    .reg .b32 %i;  .reg .b64 %at, %offset;  .reg .f64 %x, %a;' // nl // &
    '    ld.param.u64 %at, [x];  ld.param.f64 %a, [a];  mov.u32 %i, %tid.x;' // nl // &
    '    mul.wide.u32 %offset, %i, 8;  add.u64 %at, %at, %offset;' // nl // &
    '    cvt.rn.f64.u32 %x, %i;  mul.f64 %x, %x, %a;  st.global.f64 [%at], %x;  ret;' // nl // '}' // nl

  ! The parameter buffer: each at the next multiple of its alignment, as a bind(c) type lays its components out.
  type, bind(c) :: arguments
    integer(c_int64_t) :: x
    real(c_double) :: a
  end type

  type(c_ptr) :: module, device, program, kernel
  type(arguments), target :: params
  type(ptx_launch_config) :: launch
  type(ptx_fault) :: fault
  real(c_double), target :: results(4)

  call show_a_diagnostic()
  call expect(ptx_module_create(c_null_ptr, text, len(text, c_size_t), module))
  call expect(ptx_device_create(c_null_ptr, device))
  call expect(ptx_program_create(device, [module], 1_c_size_t, c_null_ptr, program))
  call ptx_module_destroy(module)
  call expect(ptx_program_kernel(program, 'scale' // c_null_char, kernel))
  call expect(ptx_memory_alloc(device, c_sizeof(results), params%x))

  params%a = 0.5d0
  launch%grid(1) = 1
  launch%block(1) = 4
  launch%params = c_loc(params)
  launch%param_bytes = c_sizeof(params)
  call expect(ptx_kernel_launch(kernel, launch, fault))
  call expect(ptx_memory_read(device, c_loc(results), params%x, c_sizeof(results)))
  print '(4(f0.1, 1x))', results

  launch%block(1) = 5 ! one thread more than there are numbers
  if (ptx_kernel_launch(kernel, launch, fault) /= ptx_error_fault) error stop 2
  print '(a, ": thread ", i0, ", ", a)', text_of(fault%name), fault%thread(1), text_of(fault%instruction)
  call ptx_device_destroy(device)

contains

  subroutine show_a_diagnostic()
    character(*), parameter :: wrong = head // '.entry k() { ad.u32 1, 2, 3; }'
    type(ptx_diagnostic) :: d
    if (ptx_module_create(c_null_ptr, wrong, len(wrong, c_size_t), module) /= ptx_error_assembly) error stop 3
    call expect(ptx_module_diagnostic(module, 0_c_size_t, d))
    print '("line ", i0, ", column ", i0, ": ", a)', d%line, d%column, text_of(d%message)
    call ptx_module_destroy(module)
  end subroutine
end program
